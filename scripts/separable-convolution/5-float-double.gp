# Item 7 of the report: float against double, tiled. Its label says tiles of 16 x 16, its largest time
# is that of 16 x 128 in the column pass: both are here.
ours = "FROM (SELECT dtype || ', 16x16' AS series, n, time_s, low_s, high_s FROM tiled_16 WHERE policy = 'default' UNION ALL SELECT dtype || ', 16x128', n, time_s, low_s, high_s FROM tiled_tall WHERE policy = 'default') WHERE 1"
names = list("SELECT replace(series, ' ', '_') FROM (SELECT * " . ours . ") GROUP BY series ORDER BY max(n * 1e6 + time_s) DESC")
sizes = list("SELECT DISTINCT n " . ours . " ORDER BY n")
if (words(names) == 0) { print missing("convsep/cuda/tiled: make separable-convolution"); exit status 3 }

theirs = "FROM published_separable_convolution_float_double WHERE time_s IS NOT NULL AND rows IN (SELECT n " . ours . ")"
their_names = list("SELECT DISTINCT data_type " . theirs . " ORDER BY data_type")
every_value = "(SELECT ifnull(low_s, time_s) AS v " . ours . " UNION SELECT ifnull(high_s, time_s) " . ours . " UNION SELECT time_s " . theirs . ")"
y_low = number("SELECT min(v) FROM " . every_value)
y_high = number("SELECT max(v) FROM " . every_value)
y_unit = "s"
@log_y
load "scripts/figures/size-x.gp"
set title "convsep, radius 16: tiled, float and double"
set ylabel "time"
set label 1000 provenance("gpu")
plain(s) = (strstrt(s, "_") == 0) ? s : s[1:strstrt(s, "_") - 1] . " " . s[strstrt(s, "_") + 1:*]

plot for [i = 1:words(names)] query_for("SELECT n, time_s, ifnull(low_s, time_s), ifnull(high_s, time_s) " . ours . " AND series = ? ORDER BY n", plain(word(names, i))) \
       using 1:2:3:4 with yerrorlines linetype i title plain(word(names, i)), \
     for [d in their_names] query_for("SELECT rows, time_s " . theirs . " AND data_type = ? ORDER BY rows", d) \
       using 1:2 with linespoints linetype 20 pointtype (d eq "float" ? 4 : 6) pointsize 0.8 title "published, " . d
