# Item 1 of the report: without tiles, every read from global memory, against the cache policy.
kernel = "nontiled"
set title "convsep, radius 16, float: without tiles, by cache policy"
load "scripts/separable-convolution/cache.inc"
