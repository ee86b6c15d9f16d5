# Speedup over the serial loops against size, kernels alone and with transfers, and the report's.
dtype = "double"
ours = "FROM best WHERE dtype = '" . dtype . "' AND backend <> 'serial' AND speedup IS NOT NULL"
names = list("SELECT name " . ours . " GROUP BY name ORDER BY max(n * 1e6 + speedup) DESC")
sizes = list("SELECT DISTINCT n FROM best WHERE dtype = '" . dtype . "' ORDER BY n")
if (words(names) == 0) { print missing("atax in " . dtype . ", serial and another: make patras-atax"); exit status 3 }

moved = "FROM best WHERE dtype = '" . dtype . "' AND on_gpu AND speedup_transfers IS NOT NULL AND name = 'cuda/fused'"
theirs = "FROM published WHERE published_speedup IS NOT NULL AND n IN (SELECT n FROM best)"
every_value = "(SELECT speedup AS v " . ours . " UNION SELECT ifnull(speedup_low, speedup) " . ours . " UNION SELECT ifnull(speedup_high, speedup) " . ours . " UNION SELECT speedup_transfers " . moved . " UNION SELECT published_speedup " . theirs . ")"
y_low = number("SELECT min(v) FROM " . every_value)
y_high = number("SELECT max(v) FROM " . every_value)
@log_y
load "scripts/figures/size-x.gp"
set title "atax, " . dtype . ": speedup over the serial loops, best tunables"
set ylabel "speedup"
set label 1000 provenance("gpu")
columns(v) = v . ", ifnull(" . v . "_low, " . v . "), ifnull(" . v . "_high, " . v . ") "
# A curve without points is left out of the key as well.
moved_curve = number("SELECT count(*) " . moved) > 0 ? ", query('SELECT n, ' . columns('speedup_transfers') . moved . ' ORDER BY n') using 1:2:3:4 with yerrorlines linetype 13 title 'fused and copies'" : ""
their_curve = number("SELECT count(*) " . theirs) > 0 ? ", query('SELECT n, published_speedup ' . theirs . ' ORDER BY n') using 1:2 with linespoints linetype 20 pointsize 0.8 title 'published'" : ""

plot for [i = 1:words(names)] query_for("SELECT n, " . columns("speedup") . ours . " AND name = ? ORDER BY n", word(names, i)) \
       using 1:2:3:4 with yerrorlines linetype look_of(word(names, i), i) title word(names, i) @moved_curve @their_curve
