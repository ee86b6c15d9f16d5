# The report's kernel with square blocks by size. Its claim P3: blocks of 32 x 32 are impossible, 16 x 16 have half
# of all warps.
rows = "SELECT 'cuda/naive, ' || dtype AS panel, n AS line, block_x AS [column], median_s AS time_s FROM blocks WHERE n >= 4096"
run = "conv2d/cuda/naive on a GPU: make patras-convolution"
subject = "conv2d 3x3"
line_name = "n (K = 1024)"
column_is = "square block"
column_name = "edge of the square block"
load "scripts/figures/heat.gp"
