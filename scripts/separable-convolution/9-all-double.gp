# All variants at radius 16 against size, double.
dtype = "double"
load "scripts/separable-convolution/all.inc"
