# The rungs and the libraries in float against size.
kind = "float"
load "scripts/tensor-matmul/ladder.inc"
