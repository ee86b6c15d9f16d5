# The upper triangle packed, against both triangles with the second mirrored: how many times as fast,
# alone and with the copies to and from the device, of which the result is half as long.
series = list("SELECT DISTINCT dtype FROM packed ORDER BY dtype")
sizes = list("SELECT DISTINCT n FROM packed ORDER BY n")
if (words(series) == 0) { print missing("covariance/cuda/packed and mirror on a GPU: make patras-covariance"); exit status 3 }

every_value = "(SELECT ifnull(times_low, times) AS v FROM packed UNION SELECT ifnull(times_high, times) FROM packed UNION SELECT moved_times FROM packed)"
y_low = number("SELECT min(v) FROM " . every_value)
y_high = number("SELECT max(v) FROM " . every_value)
load "scripts/figures/size-x.gp"
set xlabel "observations = variables (K = 1024)"
set yrange [(y_low < 1 ? y_low : 1) - 0.05 : (y_high > 1.1 ? y_high : 1.1) + 0.05]
set title "covariance: a packed triangle against both triangles"
set ylabel "mirror / packed"
set label 1000 provenance("gpu")

plot for [i = 1:words(series)] query_for("SELECT n, times, ifnull(times_low, times), ifnull(times_high, times) FROM packed WHERE dtype = ? ORDER BY n", word(series, i)) \
       using 1:2:3:4 with yerrorlines linetype i title word(series, i) . ", kernels", \
     for [i = 1:words(series)] query_for("SELECT n, moved_times FROM packed WHERE dtype = ? AND moved_times IS NOT NULL ORDER BY n", word(series, i)) \
       using 1:2 with linespoints linetype 3 + i title word(series, i) . ", + copies", \
     1 with lines linetype 20 title "as fast"
