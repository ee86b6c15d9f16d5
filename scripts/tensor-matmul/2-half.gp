# The rungs and the libraries in half, at the size with most of them and at other sizes.
kind = "half"
load "scripts/tensor-matmul/ladder.inc"
