# The ladder rung by rung, as percent of the copy roof, double.
dtype = "double"
load "scripts/patras-convolution/rungs.inc"
