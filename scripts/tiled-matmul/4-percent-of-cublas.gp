# The ladder rung by rung, as percent of cuBLAS, one series per size.
quantity = "cublas_percent"
set title "matmul, true float: the ladder against cuBLAS"
set ylabel "percent of cuBLAS"
load "scripts/tiled-matmul/rungs.inc"
