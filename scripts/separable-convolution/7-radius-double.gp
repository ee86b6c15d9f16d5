# Item of our own: all variants against the radius, double.
dtype = "double"
load "scripts/separable-convolution/radius.inc"
