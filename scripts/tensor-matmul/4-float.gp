# The rungs and the libraries in float, where most were measured and at other sizes.
kind = "float"
load "scripts/tensor-matmul/ladder.inc"
