# Item of our own: all variants against the radius, float.
dtype = "float"
load "scripts/separable-convolution/radius.inc"
