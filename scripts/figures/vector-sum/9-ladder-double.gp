# Bandwidth of the ladder in double, with the roof and CUB.
dtype = "double"
load "scripts/figures/vector-sum/ladder.inc"
