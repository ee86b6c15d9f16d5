# Bandwidth of the ladder in float, with the limit and CUB.
# In the gallery.
dtype = "float"
load "scripts/vector-sum/ladder.inc"
