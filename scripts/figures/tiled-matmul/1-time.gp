# Time of all implementations against size, each with its best tunables.
quantity = "time"
load "scripts/figures/tiled-matmul/all.inc"
