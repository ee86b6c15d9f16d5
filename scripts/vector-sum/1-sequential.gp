# The report's "Sequential vector sum": time of the plain loop against n.
rows = "SELECT '' AS panel, 'serial' AS curve, n AS x, time_s AS y, low_s AS low, high_s AS high, NULL AS note, NULL AS look FROM sequential" \
  . " UNION ALL SELECT '', 'published (some CPU)', n, time_ms / 1e3, NULL, NULL, NULL, 20 FROM published_vector_sum_sequential WHERE n IN (SELECT n FROM sequential)"
run = "vector_sum/serial as int: make vector-sum"
if (number("SELECT count(*) FROM sequential") == 0) { print missing(run); exit status 3 }
origin = provenance("NULL")
subject = "Sequential vector sum, int"
finding = list("SELECT printf('%.1f times as fast as published at %dK', p.time_ms / 1e3 / s.time_s, max(n) / 1024) FROM sequential s JOIN published_vector_sum_sequential p USING (n)")
y_name = "time"
y_unit = "s"
x_name = "elements (K = 1024)"
x_kind = "size"
load "scripts/figures/curves.gp"
