# The report's "Sequential vector sum": time of the plain loop against n.
sizes = list("SELECT n FROM sequential ORDER BY n")
if (words(sizes) == 0) { print missing("vector_sum/serial as int: make vector-sum"); exit status 3 }

theirs = "FROM published_vector_sum_sequential WHERE n IN (SELECT n FROM sequential)"
y_low = number("SELECT min(v) FROM (SELECT time_s AS v FROM sequential UNION SELECT time_ms / 1e3 " . theirs . ")")
y_high = number("SELECT max(v) FROM (SELECT time_s AS v FROM sequential UNION SELECT time_ms / 1e3 " . theirs . ")")
y_unit = "s"
@log_y
load "scripts/figures/size-x.gp"
set xlabel "n, elements (K = 1024)"
set title "Sequential vector sum, int"
set ylabel "time"
set label 1000 provenance("NULL")

plot query("SELECT n, time_s, low_s, high_s FROM sequential ORDER BY n") \
       using 1:2:3:4 with yerrorlines linetype 1 title "serial", \
     query("SELECT n, time_ms / 1e3 " . theirs . " ORDER BY n") \
       using 1:2 with linespoints linetype 20 title "published (some CPU)"
