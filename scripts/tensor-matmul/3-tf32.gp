# The rungs and the libraries in TF32, at the size with most of them and at other sizes.
kind = "TF32"
load "scripts/tensor-matmul/ladder.inc"
