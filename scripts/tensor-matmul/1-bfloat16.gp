# The rungs and the libraries in bfloat16 against size.
kind = "bfloat16"
load "scripts/tensor-matmul/ladder.inc"
