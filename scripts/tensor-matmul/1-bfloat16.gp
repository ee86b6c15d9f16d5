# The rungs and the libraries in bfloat16, at the size with most of them and at other sizes.
kind = "bfloat16"
load "scripts/tensor-matmul/ladder.inc"
