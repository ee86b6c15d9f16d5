# Time of all variants against size, float.
dtype = "float"
load "scripts/patras-convolution/time.inc"
