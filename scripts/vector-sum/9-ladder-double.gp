# Bandwidth of the ladder in double, with the limit and CUB.
dtype = "double"
load "scripts/vector-sum/ladder.inc"
