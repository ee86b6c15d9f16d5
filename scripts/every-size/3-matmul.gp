# matmul at every size.
workload = "matmul"
load "scripts/every-size/workload.inc"
