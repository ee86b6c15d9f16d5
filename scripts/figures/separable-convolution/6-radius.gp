# Item of our own: all variants against the radius, float.
dtype = "float"
load "scripts/figures/separable-convolution/radius.inc"
