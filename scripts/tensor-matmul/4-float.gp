# The rungs and the libraries in float, at the size with most of them and at other sizes.
kind = "float"
load "scripts/tensor-matmul/ladder.inc"
