# The share of an execution that a GPU spends in transfers, including waits for other GPUs; it may compute
# meanwhile.
what = "moving_percent"
low = "NULL"
high = "NULL"
y_name = "time in transfers"
y_unit = "%"
finding = list("SELECT printf('%s is longest in transfers at its largest size: %.0f %% of the time', name, max(moving_percent)) FROM largest_drawn WHERE gpus = (SELECT max(gpus) FROM strong) AND moving_percent IS NOT NULL HAVING count(*) > 0")
load "scripts/several-gpus/sizes.inc"
