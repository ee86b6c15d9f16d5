# Item 6 of the report: with tiles of 16 x 16, by cache policy.
kernel = "tiled"
load "scripts/separable-convolution/cache.inc"
