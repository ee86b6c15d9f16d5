# Strong scaling: speedup over one GPU as a share of their number.
from = "largest_drawn"
what = "efficiency"
ideal(g) = 100
set title "Several GPUs: efficiency at the largest sizes"
point_unit = "%"
set ylabel "speedup over one GPU / GPUs (%)"
set yrange [* < 70 : 103 < *]
load "scripts/several-gpus/teams.inc"
