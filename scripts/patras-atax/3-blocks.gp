# Time against block size, of the report's kernel as it was meant and of the naive one: claim P5.
rows = "SELECT name AS panel, n AS line, block AS [column], median_s AS time_s FROM blocks WHERE n IN (4096, 8000, 10000, 12000)"
run = "atax/cuda/shared in double on a GPU: make patras-atax"
subject = "atax, double"
line_name = "n (K = 1024)"
column_is = "block"
column_name = "threads per block"
load "scripts/figures/heat.gp"
