# Strong scaling: speedup over one GPU as a share of their number.
run = "several GPUs: make several-gpus"
from = "largest_drawn"
what = "efficiency"
unit = "%"
panel = "speedup over one GPU / GPUs"
ideal(g) = 100
finding = list("SELECT printf('%d of %d workloads keep 95 %% of the speed of each', sum(efficiency >= 95), count(*)) FROM largest_drawn WHERE gpus = (SELECT max(gpus) FROM largest_drawn)")
load "scripts/several-gpus/teams.inc"
