# Figure 7: performance of all implementations against size, each with its best tunables.
# In the gallery.
quantity = "gflops"
load "scripts/cslab-dmv/all.inc"
