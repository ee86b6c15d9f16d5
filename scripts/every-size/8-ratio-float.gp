# Compared with the libraries at every size, float.
dtype = "float"
load "scripts/every-size/ratio.inc"
