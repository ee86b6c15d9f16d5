# Time of all implementations against size, each with its best tunables.
quantity = "time"
load "scripts/tiled-matmul/all.inc"
