# The report's chart of execution times: time of all variants against size, double.
dtype = "double"
load "scripts/patras-convolution/time.inc"
