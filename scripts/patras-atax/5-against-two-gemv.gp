# How many times as fast as two gemv of the device's own library, against size: all variants in
# double, the last rungs in float too.
at = "FROM ladder WHERE times IS NOT NULL AND backend IN ('cuda', 'openmp') AND (dtype = 'double' OR variant IN ('fused', 'bulk'))"
series = list("SELECT name || ',' || dtype " . at . " GROUP BY name, dtype ORDER BY max(n * 1e6 + times) DESC")
sizes = list("SELECT DISTINCT n " . at . " ORDER BY n")
if (words(series) == 0) { print missing("atax with two gemv of a library: make patras-atax"); exit status 3 }

y_low = number("SELECT min(min(ifnull(times_low, times)), 0.5) " . at)
y_high = number("SELECT max(max(ifnull(times_high, times)), 2) " . at)
@log_y
load "scripts/figures/size-x.gp"
set title "atax: times as fast as two gemv of the same device"
set ylabel "two gemv / variant"
set label 1000 provenance("gpu")
of(s) = substr(s, 1, strstrt(s, ",") - 1)
in(s) = substr(s, strstrt(s, ",") + 1, strlen(s))

plot for [i = 1:words(series)] query_for("SELECT n, times, ifnull(times_low, times), ifnull(times_high, times) " . at . " AND name || ',' || dtype = ? ORDER BY n", word(series, i)) \
       using 1:2:3:4 with yerrorlines linetype i title of(word(series, i)) . (in(word(series, i)) eq "float" ? ", float" : ""), \
     1 with lines linetype 20 title "two gemv"
