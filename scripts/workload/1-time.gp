# Time of all variants against the bytes that have to move, with the limit of the hardware.
load "scripts/workload/names.inc"
is_time = 1
view = "main WHERE 1"
roof_s = "roof_percent / 100.0 * median_s"
theirs = ""
load "scripts/figures/against-size.gp"
