# Strong scaling: how many times as fast as one GPU, at the largest size of each workload.
run = "several GPUs: make several-gpus"
from = "largest_drawn"
what = "gained"
unit = ""
panel = "times as fast as itself on one GPU"
ideal(g) = g
finding = list("SELECT printf('%.2f to %.2f times as fast as one at the largest sizes', min(gained), max(gained)) FROM largest_drawn WHERE gpus = (SELECT max(gpus) FROM largest_drawn)")
load "scripts/several-gpus/teams.inc"
