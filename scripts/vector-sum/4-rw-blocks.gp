# The report's charts "RW per N".
method = "RW"
load "scripts/vector-sum/blocks.inc"
