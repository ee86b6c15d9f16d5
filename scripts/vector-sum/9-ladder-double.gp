# Bandwidth of the ladder in double, with the roof and CUB.
dtype = "double"
load "scripts/vector-sum/ladder.inc"
