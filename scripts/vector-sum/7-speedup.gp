# The report's "Speedup over sequential processing", on the means; and our fastest kernel.
sizes = list("SELECT DISTINCT m.n FROM means m JOIN sequential USING (n) ORDER BY m.n")
if (words(sizes) == 0) { print missing("vector_sum serial, rw and brw as int on a GPU: make vector-sum"); exit status 3 }

fastest = "SELECT n, min(time_s) AS time_s FROM report_best WHERE backend = 'cuda' GROUP BY n"
ours = "SELECT n, s.time_s / m.time_s AS v FROM means m JOIN sequential s USING (n)"
best = "SELECT n, s.time_s / f.time_s AS v FROM (" . fastest . ") f JOIN sequential s USING (n)"
y_low = number("SELECT min(v) FROM (" . ours . " UNION SELECT n, speedup FROM published_vector_sum_speedup)")
y_high = number("SELECT max(v) FROM (" . ours . " UNION " . best . " UNION SELECT n, speedup FROM published_vector_sum_speedup)")
@log_y
load "scripts/figures/size-x.gp"
set xlabel "n, elements (K = 1024)"
set title "Speedup over the sequential sum, int, kernels alone"
set ylabel "speedup"
set label 1000 provenance("gpu")
methods = "BRW RW"

plot query(best . " ORDER BY n") using 1:2 with linespoints linetype 3 title "our fastest", \
     for [i = 1:2] query_for(ours . " WHERE method = ? ORDER BY n", word(methods, i)) \
       using 1:2 with linespoints linetype i title word(methods, i), \
     for [i = 1:2] query_for("SELECT n, speedup FROM published_vector_sum_speedup WHERE method = ? ORDER BY n", word(methods, i)) \
       using 1:2 with linespoints linetype 20 pointtype points[i] pointsize 0.7 notitle, \
     NaN with linespoints linetype 20 pointtype points[1] pointsize 0.7 title "published (GTX 960M)"
