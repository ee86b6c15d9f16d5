# The report's chart of speedup over the serial loops against size: kernels alone, and with the
# copies of the naive and of the fastest kernel. The report's speedups very probably contain copies.
# In the gallery.
ours = "FROM best WHERE dtype = 'double' AND backend <> 'serial' AND speedup IS NOT NULL"
names = list("SELECT name " . ours . " GROUP BY name ORDER BY max(n * 1e6 + speedup) DESC")
sizes = list("SELECT DISTINCT n FROM best WHERE dtype = 'double' ORDER BY n")
if (words(names) == 0) { print missing("conv2d in double, serial and another: make patras-convolution"); exit status 3 }

moved = "FROM best WHERE dtype = 'double' AND on_gpu AND speedup_transfers IS NOT NULL"
moved_names = list("SELECT name FROM (SELECT name, max(n * 1e6 + speedup) AS rank " . moved . " GROUP BY name) WHERE name = 'cuda/naive' OR rank = (SELECT max(n * 1e6 + speedup) " . moved . ")")
theirs = "FROM published WHERE published_speedup IS NOT NULL AND n IN (SELECT n FROM best)"
every_value = "(SELECT ifnull(speedup_low, speedup) AS v " . ours . " UNION SELECT ifnull(speedup_high, speedup) " . ours . " UNION SELECT speedup_transfers " . moved . " UNION SELECT published_speedup " . theirs . ")"
y_low = number("SELECT min(v) FROM " . every_value)
y_high = number("SELECT max(v) FROM " . every_value)
@log_y
load "scripts/figures/size-x.gp"
set title "conv2d 3x3, double: speedup over the serial loops, best tunables"
set ylabel "speedup"
set label 1000 provenance("gpu")
columns(v) = v . ", ifnull(" . v . "_low, " . v . "), ifnull(" . v . "_high, " . v . ") "
of(v, rows) = "SELECT n, " . columns(v) . rows . " AND name = ? ORDER BY n"
published = "SELECT n, published_speedup " . theirs . " ORDER BY n"
# A curve without points is left out of the key as well.
moved_curves = words(moved_names) == 0 ? "" : ", for [who in moved_names] query_for(of('speedup_transfers', moved), who) using 1:2:3:4 with yerrorlines linetype (who eq 'cuda/naive' ? 12 : 13) title substr(who, 6, 99) . ' + copies'"
their_curve = number("SELECT count(*) " . theirs) == 0 ? "" : ", query(published) using 1:2 with linespoints linetype 20 pointsize 0.8 title 'published'"

plot for [i = 1:words(names)] query_for(of("speedup", ours), word(names, i)) \
       using 1:2:3:4 with yerrorlines linetype look_of(word(names, i), i) title word(names, i) @moved_curves @their_curve
