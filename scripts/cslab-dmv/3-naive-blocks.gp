# Figure 3: times of the naive GPU version against block size, a series a size.
variant = "naive"
load "scripts/cslab-dmv/blocks.inc"
