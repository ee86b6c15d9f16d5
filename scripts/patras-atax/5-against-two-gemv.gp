# Speed relative to two gemv of the device's own library, against size: all variants in double, the last rungs
# in float too.
rows = "SELECT " . device . " || ', ' || dtype AS panel, name AS curve, n AS x, times AS y, times_low AS low, times_high AS high, tunables AS note, NULL AS look FROM ladder WHERE times IS NOT NULL AND backend IN ('cuda', 'openmp') AND (dtype = 'double' OR variant IN ('fused', 'bulk')) ORDER BY on_gpu DESC, dtype"
run = "atax with two gemv of a library: make patras-atax"
subject = "atax"
apart = 1
level = 1
level_name = "two gemv"
finding = most_of(rows, "two gemv", 1024)
if (strlen(finding) == 0) { finding = "beside two gemv" }
y_name = "two gemv / variant"
y_unit = ""
x_name = "rows = columns (K = 1024)"
x_kind = "size"
load "scripts/figures/curves.gp"
