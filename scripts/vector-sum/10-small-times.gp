# Time of every rung at the report's sizes, where launches and not bytes decide.
here = "ladder WHERE dtype = 'float' AND n BETWEEN 32768 AND 262144"
names = list("SELECT name FROM (SELECT name, max(n), time_s FROM " . here . " GROUP BY name) ORDER BY time_s DESC")
sizes = list("SELECT DISTINCT n FROM " . here . " ORDER BY n")
if (words(names) == 0) { print missing("vector_sum on a GPU as float: make vector-sum"); exit status 3 }

y_low = number("SELECT min(time_s) FROM " . here)
y_high = number("SELECT max(time_s) FROM " . here)
y_unit = "s"
@log_y
load "scripts/figures/size-x.gp"
set xlabel "n, elements (K = 1024)"
set title "vector sum, float: time at the report's sizes"
set ylabel "time of a whole sum"
set label 1000 provenance("gpu")

plot for [i = 1:words(names)] query_for("SELECT n, time_s, low_s, high_s FROM " . here . " AND name = ? ORDER BY n", word(names, i)) \
       using 1:2:3:4 with yerrorlines linetype look_of(word(names, i), i) title word(names, i)
