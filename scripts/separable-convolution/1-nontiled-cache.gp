# Item 1 of the report: without tiles, every read from global memory, against the cache policy.
kernel = "nontiled"
load "scripts/separable-convolution/cache.inc"
