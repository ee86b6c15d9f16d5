# The ladder rung by rung, as percent of what copying allows, float.
dtype = "float"
load "scripts/patras-convolution/rungs.inc"
