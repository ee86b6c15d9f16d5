# The ladder rung by rung, as percent of what copying allows, double.
dtype = "double"
load "scripts/patras-convolution/rungs.inc"
