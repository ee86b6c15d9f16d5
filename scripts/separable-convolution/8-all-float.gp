# All variants at radius 16 against size, float.
dtype = "float"
load "scripts/separable-convolution/all.inc"
