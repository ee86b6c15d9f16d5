# The report's charts "BRW per N".
method = "BRW"
load "scripts/vector-sum/blocks.inc"
