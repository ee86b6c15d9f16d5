# Figure 6: times of all implementations against size, each with its best tunables.
quantity = "time"
load "scripts/cslab-dmv/all.inc"
