# covariance at every size.
workload = "covariance"
load "scripts/every-size/workload.inc"
