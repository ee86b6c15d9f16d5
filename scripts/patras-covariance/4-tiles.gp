# Time by tile width, of the report's kernel as it was meant, the naive one and the triangle: claim P9.
rows = "SELECT name AS panel, n AS line, tile AS [column], median_s AS time_s FROM tiles WHERE variant IN ('naive', 'tiled', 'mirror')"
run = "covariance/cuda in double on a GPU: make patras-covariance"
subject = "covariance, double"
line_name = "n (K = 1024)"
column_is = "tile"
column_name = "width of the tile"
load "scripts/figures/heat.gp"
