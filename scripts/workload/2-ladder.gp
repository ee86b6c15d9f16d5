# All variants in percent of the limit of their device, at the largest size and at
# others. If no limit held still, in percent of the fastest.
load "scripts/workload/names.inc"
at = "FROM main WHERE 1"
percent = "roof_percent"
of = "the limit of memory or arithmetic"
load "scripts/figures/rungs.gp"
