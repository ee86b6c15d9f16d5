# Figure 2: performance of the OpenMP version against threads, a series a size.
quantity = "gflops"
load "scripts/cslab-dmv/openmp.inc"
