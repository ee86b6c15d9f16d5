# Strong scaling: how many times as fast as one GPU, at the largest size of each workload.
from = "largest_drawn"
what = "gained"
ideal(g) = g
set title "Several GPUs: speedup over one, largest sizes"
set ylabel "times as fast as itself on one GPU"
set yrange [0:]
load "scripts/several-gpus/teams.inc"
