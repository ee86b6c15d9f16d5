# The rungs and the libraries in TF32 against size.
kind = "TF32"
load "scripts/tensor-matmul/ladder.inc"
