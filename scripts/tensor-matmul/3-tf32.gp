# The rungs and the libraries in TF32, where most were measured and at other sizes.
kind = "TF32"
load "scripts/tensor-matmul/ladder.inc"
