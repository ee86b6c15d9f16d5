# The ladder rung by rung, as percent of the copy roof, float.
dtype = "float"
load "scripts/patras-convolution/rungs.inc"
