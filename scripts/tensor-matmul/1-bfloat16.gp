# The rungs and the libraries in bfloat16, where most were measured and at other sizes.
kind = "bfloat16"
load "scripts/tensor-matmul/ladder.inc"
