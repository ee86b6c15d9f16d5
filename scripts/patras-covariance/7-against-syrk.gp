# How many times as fast as syrk of the device's own library, means and centring included on both
# sides, against size: what stands beside it in double, the last rungs in float too.
# In the gallery.
at = "FROM ladder WHERE times IS NOT NULL AND name NOT LIKE '%_syrk' AND backend <> 'serial' AND (dtype = 'double' OR variant IN ('register', 'balanced', 'blocked'))"
series = list("SELECT name || ',' || dtype " . at . " GROUP BY name, dtype ORDER BY max(n * 1e6 + times) DESC")
sizes = list("SELECT DISTINCT n " . at . " ORDER BY n")
if (words(series) == 0) { print missing("covariance with syrk of a library: make patras-covariance"); exit status 3 }

y_low = number("SELECT min(min(ifnull(times_low, times)), 0.5) " . at)
y_high = number("SELECT max(max(ifnull(times_high, times)), 1.2) " . at)
@log_y
load "scripts/figures/size-x.gp"
set xlabel "observations = variables (K = 1024)"
set title "covariance: times as fast as syrk of the same device"
set ylabel "syrk / variant"
set label 1000 provenance("gpu")
of(s) = substr(s, 1, strstrt(s, ",") - 1)
in(s) = substr(s, strstrt(s, ",") + 1, strlen(s))

plot for [i = 1:words(series)] query_for("SELECT n, times, ifnull(times_low, times), ifnull(times_high, times) " . at . " AND name || ',' || dtype = ? ORDER BY n", word(series, i)) \
       using 1:2:3:4 with yerrorlines linetype i title of(word(series, i)) . (in(word(series, i)) eq "float" ? ", float" : ""), \
     1 with lines linetype 20 title "syrk"
