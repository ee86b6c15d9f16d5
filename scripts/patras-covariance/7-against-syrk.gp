# How many times as fast as syrk of the device's own library, means and centring included on both
# sides, against size: what stands beside it in double, in float what is the fastest of its backend at a size.
# In the gallery.
rows = "SELECT " . device . " || ', ' || dtype AS panel, name AS curve, n AS x, times AS y, times_low AS low, times_high AS high, tunables AS note, NULL AS look FROM ladder WHERE times IS NOT NULL AND name NOT LIKE '%_syrk' AND backend <> 'serial' AND (dtype = 'double' OR name IN (SELECT name FROM (SELECT name, min(time_s) FROM best WHERE dtype = 'float' AND arithmetic = 'ieee' GROUP BY backend, n))) ORDER BY on_gpu DESC, dtype"
run = "covariance with syrk of a library: make patras-covariance"
subject = "covariance"
apart = 1
level = 1
level_name = "syrk"
finding = most_of(rows, "syrk", 1024)
if (strlen(finding) == 0) { finding = "beside syrk" }
y_name = "syrk / variant"
y_unit = ""
x_name = "observations = variables (K = 1024)"
x_kind = "size"
load "scripts/figures/curves.gp"
