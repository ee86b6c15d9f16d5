# Compared with the libraries at every size, double.
dtype = "double"
load "scripts/every-size/ratio.inc"
