# convsep at every size.
workload = "convsep"
load "scripts/every-size/workload.inc"
