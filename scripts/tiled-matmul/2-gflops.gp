# Performance of all implementations against size, each with its best tunables.
quantity = "gflops"
load "scripts/tiled-matmul/all.inc"
