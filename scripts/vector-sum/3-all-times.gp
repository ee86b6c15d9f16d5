# The report's "Processing time": sequential, RW and BRW.
with_sequential = 1
load "scripts/vector-sum/means.inc"
