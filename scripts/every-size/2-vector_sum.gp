# vector_sum at every size.
workload = "vector_sum"
load "scripts/every-size/workload.inc"
