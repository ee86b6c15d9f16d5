# Figure 2: performance of the OpenMP version against threads, one series per size.
quantity = "gflops"
load "scripts/cslab-dmv/openmp.inc"
