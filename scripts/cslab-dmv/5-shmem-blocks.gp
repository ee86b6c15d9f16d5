# Figure 5: times of the shmem GPU version against block size, one series per size.
variant = "shmem"
load "scripts/cslab-dmv/blocks.inc"
