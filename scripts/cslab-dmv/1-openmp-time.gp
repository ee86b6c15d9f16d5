# Figure 1: times of the OpenMP version against threads, one series per size.
quantity = "time"
load "scripts/cslab-dmv/openmp.inc"
