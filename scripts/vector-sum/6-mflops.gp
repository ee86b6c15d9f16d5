# The report's "Mean computing speed": (n - 1) / time, on the means over the block sizes.
sizes = list("SELECT DISTINCT n FROM means ORDER BY n")
if (words(sizes) == 0) { print missing("vector_sum/cuda/rw and brw as int on a GPU: make vector-sum"); exit status 3 }

y_low = number("SELECT min(v) FROM (SELECT (n - 1) / time_s / 1e6 AS v FROM means UNION SELECT mflops FROM published_vector_sum_mean_mflops)")
y_high = number("SELECT max(v) FROM (SELECT (n - 1) / time_s / 1e6 AS v FROM means UNION SELECT mflops FROM published_vector_sum_mean_mflops)")
@log_y
load "scripts/figures/size-x.gp"
set xlabel "n, elements (K = 1024)"
set title "Mean computing speed, int: (n - 1) / mean time of a whole sum"
set ylabel "million additions per second"
set label 1000 provenance("gpu")
methods = "BRW RW"

plot for [i = 1:2] query_for("SELECT n, (n - 1) / time_s / 1e6 FROM means WHERE method = ? ORDER BY n", word(methods, i)) \
       using 1:2 with linespoints linetype i title word(methods, i), \
     for [i = 1:2] query_for("SELECT n, mflops FROM published_vector_sum_mean_mflops WHERE method = ? ORDER BY n", word(methods, i)) \
       using 1:2 with linespoints linetype 20 pointtype points[i] pointsize 0.7 notitle, \
     NaN with lines linetype 20 title "published (GTX 960M)"
