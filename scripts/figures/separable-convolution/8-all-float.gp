# All variants at radius 16 against size, float.
dtype = "float"
load "scripts/figures/separable-convolution/all.inc"
