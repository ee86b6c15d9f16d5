# Figure 4: times of the coalesced GPU version against block size, a series a size.
variant = "coalesced"
load "scripts/cslab-dmv/blocks.inc"
