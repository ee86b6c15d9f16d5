# dmv at every size.
workload = "dmv"
load "scripts/every-size/workload.inc"
