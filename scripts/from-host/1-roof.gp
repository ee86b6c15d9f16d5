# From host memory and back: how close each comes to the limit of the link, or of the work, by size.
rows = "SELECT workload AS panel, dtype AS curve, bytes AS x, roof_percent AS y, NULL AS low, NULL AS high, tunables AS note, NULL AS look FROM overlapped ORDER BY workload, dtype DESC"
run = "from host memory: make from-host"
subject = "From host memory and back"
finding = list("SELECT printf('each workload reaches %.0f to %.0f %% of the limit', min(best), max(best)) FROM (SELECT max(roof_percent) AS best FROM overlapped GROUP BY name)")
apart = 1
linear = 1
y_least = 0
level = 100
y_name = "share of the limit"
y_unit = "%"
x_name = "bytes of the problem"
x_kind = "bytes"
load "scripts/figures/curves.gp"
