# Weak scaling: 8192 rows per GPU; the time on one GPU over the time on several.
run = "several GPUs: make several-gpus"
from = "weak"
what = "efficiency"
unit = "%"
panel = "time of one GPU / time of the team, 8192 rows for each"
ideal(g) = 100
finding = list("SELECT printf('with 8192 rows for each, %s keeps least: %.0f %%', name, min(efficiency)) FROM weak WHERE gpus = (SELECT max(gpus) FROM weak)")
load "scripts/several-gpus/teams.inc"
