# Figure 5: times of the shmem GPU version against block size, a series a size.
variant = "shmem"
load "scripts/cslab-dmv/blocks.inc"
