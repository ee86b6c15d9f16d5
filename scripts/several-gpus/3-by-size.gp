# From which size the other GPUs pay: speedup over one GPU against the size.
# In the gallery.
what = "gained"
lines = "1 " . list("SELECT coalesce(max(gpus), 1) FROM strong")
set title "All GPUs: speedup over one by size"
set ylabel "times as fast as itself on one GPU"
set yrange [0 : list("SELECT coalesce(max(gpus), 1) FROM strong") * 1.05]
meaning = "one GPU, and all"
load "scripts/several-gpus/sizes.inc"
