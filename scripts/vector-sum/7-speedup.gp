# The report's "Speedup over sequential processing", on the means; and our fastest kernel.
rows = "SELECT 'measured' AS panel, 'our fastest' AS curve, n AS x, s.time_s / f.time_s AS y, NULL AS low, NULL AS high, NULL AS note, NULL AS look FROM (SELECT n, min(time_s) AS time_s FROM report_best WHERE backend = 'cuda' GROUP BY n) f JOIN sequential s USING (n)" \
  . " UNION ALL SELECT 'measured', method, n, s.time_s / m.time_s, NULL, NULL, NULL, NULL FROM means m JOIN sequential s USING (n)" \
  . " UNION ALL SELECT 'published (GTX 960M)', method || ', published', n, speedup, NULL, NULL, NULL, 20 FROM published_vector_sum_speedup"
run = "vector_sum serial, rw and brw as int on a GPU: make vector-sum"
if (number("SELECT count(*) FROM means JOIN sequential USING (n)") == 0) { print missing(run); exit status 3 }
subject = "vector_sum, int, beside the sequential sum"
finding = list("SELECT CASE WHEN max(s.time_s / f.time_s) < 1 THEN 'no kernel is faster' ELSE printf('a kernel is up to %.1f times as fast', max(s.time_s / f.time_s)) END FROM (SELECT n, min(time_s) AS time_s FROM report_best WHERE backend = 'cuda' GROUP BY n) f JOIN sequential s USING (n)")
level = 1
level_name = "the sequential sum"
y_name = "speedup, kernels alone"
y_unit = ""
x_name = "elements (K = 1024)"
x_kind = "size"
load "scripts/figures/curves.gp"
