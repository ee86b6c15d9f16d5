# Performance of all implementations against size, each with its best tunables.
# In the gallery.
quantity = "gflops"
load "scripts/tiled-matmul/all.inc"
