# The report's charts "BRW per N".
method = "BRW"
load "scripts/figures/vector-sum/blocks.inc"
