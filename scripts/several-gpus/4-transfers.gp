# The share of an execution that a GPU is in transfers, where it waits for others, too.
what = "moving_percent"
lines = "0"
meaning = ""
set title "All GPUs: time in transfers, beside which they may compute"
point_unit = "%"
set ylabel "time in transfers / time (%)"
set yrange [0:*]
load "scripts/several-gpus/sizes.inc"
