# The rungs and the libraries in half against size.
kind = "half"
load "scripts/tensor-matmul/ladder.inc"
