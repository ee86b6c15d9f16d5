# Figure 3: times of the naive GPU version against block size, one series per size.
variant = "naive"
load "scripts/cslab-dmv/blocks.inc"
