# From which size the other GPUs pay: speedup over one GPU against the size.
# In the gallery.
what = "gained"
low = "gained_low"
high = "gained_high"
level = 1
level_name = "one GPU"
y_name = "times as fast as on one GPU"
y_unit = ""
first_to_pay = list("SELECT name FROM pays WHERE from_bytes IS NOT NULL AND gpus = (SELECT max(gpus) FROM strong) ORDER BY from_bytes LIMIT 1")
bytes_to_pay = number("SELECT min(from_bytes) FROM pays WHERE gpus = (SELECT max(gpus) FROM strong)")
finding = bytes_to_pay > 0 ? first_to_pay . " gains first, from " . bytes_text(bytes_to_pay) . " on" : "none gains at these sizes"
load "scripts/several-gpus/sizes.inc"
