# conv2d at every size.
workload = "conv2d"
load "scripts/every-size/workload.inc"
