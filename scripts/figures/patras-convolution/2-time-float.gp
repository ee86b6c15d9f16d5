# Time of all variants against size, float.
dtype = "float"
load "scripts/figures/patras-convolution/time.inc"
