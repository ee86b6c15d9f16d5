# Item 6 of the report: with tiles of 16 x 16, against the cache policy.
kernel = "tiled"
set title "convsep, radius 16, float: tiles of 16 x 16, by cache policy"
load "scripts/separable-convolution/cache.inc"
