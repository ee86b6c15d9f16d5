# Bandwidth of the ladder in float, with the roof and CUB.
dtype = "float"
load "scripts/vector-sum/ladder.inc"
