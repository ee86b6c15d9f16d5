# Item of our own: all variants against the radius, float.
# In the gallery.
dtype = "float"
load "scripts/separable-convolution/radius.inc"
