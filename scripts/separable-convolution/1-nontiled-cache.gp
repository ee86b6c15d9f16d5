# Item 1 of the report: without tiles, every read from global memory, by cache policy.
kernel = "nontiled"
load "scripts/separable-convolution/cache.inc"
