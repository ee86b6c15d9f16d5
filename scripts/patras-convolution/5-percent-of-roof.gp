# The ladder rung by rung, in percent of the limit of copying, double.
dtype = "double"
load "scripts/patras-convolution/rungs.inc"
