# Speedup of all variants over the serial one.
load "scripts/workload/names.inc"
of_it = "FROM main WHERE speedup IS NOT NULL AND backend <> 'serial'"
if (number("SELECT count(*) " . of_it) == 0) { print missing(run . " in parallel"); exit status 3 }
rows = "SELECT " . device . " AS panel, name AS curve, n AS x, speedup AS y, speedup_low AS low, speedup_high AS high, " . note . " AS note, NULL AS look " . of_it
finding = most_of(rows, "serial", 0)
level = 1
level_name = "serial"
y_name = "times as fast as serial"
load "scripts/figures/curves.gp"
