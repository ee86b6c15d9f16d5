# Figure 1: times of the OpenMP version against threads, a series a size.
quantity = "time"
load "scripts/cslab-dmv/openmp.inc"
