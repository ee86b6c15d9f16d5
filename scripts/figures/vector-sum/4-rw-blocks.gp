# The report's charts "RW per N".
method = "RW"
load "scripts/figures/vector-sum/blocks.inc"
