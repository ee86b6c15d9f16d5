# The report's "Processing time": sequential, RW and BRW.
set title "Sequential, RW and BRW, int: means over blocks"
with_sequential = 1
load "scripts/vector-sum/means.inc"
