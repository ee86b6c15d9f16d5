# The report's chart of speedup over the loops of PolyBench against size: of each backend what 1-time.gp
# shows, kernels alone, and with the copies of the report's kernel and of one on tensor cores. Those loops
# are the slower of our two serial variants, and the divisor so that the report's numbers compare; they are
# too slow for the largest n.
ours = "FROM shown WHERE dtype = 'double' AND backend <> 'serial' AND speedup IS NOT NULL"
names = list("SELECT name " . ours . " GROUP BY name ORDER BY max(n * 1e6 + speedup) DESC")
sizes = list("SELECT DISTINCT n " . ours . " ORDER BY n")
if (words(names) == 0) { print missing("covariance in double, serial and another: make patras-covariance"); exit status 3 }

moved = "FROM best WHERE dtype = 'double' AND on_gpu AND speedup_transfers IS NOT NULL AND name IN ('cuda/tiled', 'cuda/tensor')"
moved_names = list("SELECT DISTINCT name " . moved)
theirs = "FROM published WHERE published_speedup IS NOT NULL AND n IN (SELECT n " . ours . ")"
every_value = "(SELECT ifnull(speedup_low, speedup) AS v " . ours . " UNION SELECT ifnull(speedup_high, speedup) " . ours . " UNION SELECT speedup_transfers " . moved . " UNION SELECT published_speedup " . theirs . ")"
y_low = number("SELECT min(v) FROM " . every_value)
y_high = number("SELECT max(v) FROM " . every_value)
@log_y
load "scripts/figures/size-x.gp"
set xlabel "observations = variables, as far as serial/plain ran"
set title "covariance, double: speedup over the report's serial loops"
set ylabel "speedup over serial/plain"
set label 1000 provenance("gpu")
columns(v) = v . ", ifnull(" . v . "_low, " . v . "), ifnull(" . v . "_high, " . v . ") "
of(v, rows) = "SELECT n, " . columns(v) . rows . " AND name = ? ORDER BY n"
published = "SELECT n, published_speedup " . theirs . " ORDER BY n"
# A curve without points is left out of the key as well.
moved_curves = words(moved_names) == 0 ? "" : ", for [who in moved_names] query_for(of('speedup_transfers', moved), who) using 1:2:3:4 with yerrorlines linetype words(names) + (who eq 'cuda/tiled' ? 1 : 2) title substr(who, 6, 99) . ' + copies'"
their_curve = number("SELECT count(*) " . theirs) == 0 ? "" : ", query(published) using 1:2 with linespoints linetype 20 pointsize 0.8 title 'published'"

plot for [i = 1:words(names)] query_for(of("speedup", ours), word(names, i)) \
       using 1:2:3:4 with yerrorlines linetype look_of(word(names, i), i) title word(names, i) @moved_curves @their_curve
