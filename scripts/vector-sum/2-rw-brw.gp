# The report's "Comparison of processing times for RW and BRW", means over blocks of 32, 128, 256 and 1024.
with_sequential = 0
load "scripts/vector-sum/means.inc"
