# All variants at radius 16 against size, float.
# In the gallery.
dtype = "float"
load "scripts/separable-convolution/all.inc"
