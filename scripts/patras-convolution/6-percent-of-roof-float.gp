# The ladder rung by rung, in percent of the limit of copying, float.
dtype = "float"
load "scripts/patras-convolution/rungs.inc"
