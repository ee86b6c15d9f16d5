# All variants at radius 16 against size, double.
dtype = "double"
load "scripts/figures/separable-convolution/all.inc"
