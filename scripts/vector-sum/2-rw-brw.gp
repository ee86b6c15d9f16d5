# The report's "Comparison of processing times for RW and BRW".
set title "RW and BRW, int: mean over blocks of 32, 128, 256, 1024"
with_sequential = 0
load "scripts/vector-sum/means.inc"
