# Figure 2: performance of the OpenMP version against threads, a series a size.
quantity = "gflops"
load "scripts/figures/cslab-dmv/openmp.inc"
