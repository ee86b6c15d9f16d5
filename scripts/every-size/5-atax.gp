# atax at every size.
workload = "atax"
load "scripts/every-size/workload.inc"
