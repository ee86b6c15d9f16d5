# The ladder rung by rung, as percent of the copy roof, double.
dtype = "double"
load "scripts/figures/patras-convolution/rungs.inc"
