# Figure 4: times of the coalesced GPU version against block size, one series per size.
variant = "coalesced"
load "scripts/cslab-dmv/blocks.inc"
