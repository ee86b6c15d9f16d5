# Weak scaling: 8192 rows for each GPU; the time of one over the time of the team.
from = "weak"
what = "efficiency"
ideal(g) = 100
set title "Several GPUs: 8192 rows for each"
point_unit = "%"
set ylabel "time of one GPU / time of the team (%)"
set yrange [0:110 < *]
load "scripts/several-gpus/teams.inc"
