# Bandwidth of the ladder in float, with the roof and CUB.
dtype = "float"
load "scripts/figures/vector-sum/ladder.inc"
