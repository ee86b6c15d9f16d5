# The ladder rung by rung, in percent of cuBLAS.
percent = "cublas_percent"
of = "cuBLAS"
load "scripts/tiled-matmul/rungs.inc"
