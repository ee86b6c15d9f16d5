# The rungs and the libraries in half, where most were measured and at other sizes.
kind = "half"
load "scripts/tensor-matmul/ladder.inc"
