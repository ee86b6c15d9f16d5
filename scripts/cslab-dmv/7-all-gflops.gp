# Figure 7: performance of all implementations against size, each with its best tunables.
quantity = "gflops"
load "scripts/cslab-dmv/all.inc"
