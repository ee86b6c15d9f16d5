# Item 5 of the report: tiles of 16 x 16 against none, blocks of 16 x 16; and the last rung.
ours = "FROM (SELECT 'global' AS series, n, time_s, low_s, high_s FROM nontiled WHERE policy = 'default' AND dtype = 'float' AND variant = 'global' UNION ALL SELECT 'padded', n, time_s, low_s, high_s FROM nontiled WHERE policy = 'default' AND dtype = 'float' AND variant = 'padded' UNION ALL SELECT 'tiled', n, time_s, low_s, high_s FROM tiled_16 WHERE policy = 'default' AND dtype = 'float' UNION ALL SELECT 'fused', n, time_s, low_s, high_s FROM best WHERE name = 'cuda/fused' AND dtype = 'float') WHERE 1"
names = list("SELECT series " . ours . " GROUP BY series ORDER BY max(n * 1e6 + time_s) DESC")
sizes = list("SELECT DISTINCT n " . ours . " ORDER BY n")
if (words(names) == 0) { print missing("convsep on a GPU: make separable-convolution"); exit status 3 }

theirs = "FROM published_separable_convolution_tiled_vs_nontiled WHERE rows IN (SELECT n " . ours . ")"
their_names = list("SELECT DISTINCT variant " . theirs . " ORDER BY variant")
every_value = "(SELECT ifnull(low_s, time_s) AS v " . ours . " UNION SELECT ifnull(high_s, time_s) " . ours . " UNION SELECT time_s " . theirs . ")"
y_low = number("SELECT min(v) FROM " . every_value)
y_high = number("SELECT max(v) FROM " . every_value)
y_unit = "s"
@log_y
load "scripts/figures/size-x.gp"
set title "convsep, radius 16, float: with tiles of 16 x 16 and without"
set ylabel "time"
set label 1000 provenance("gpu")

plot for [i = 1:words(names)] query_for("SELECT n, time_s, ifnull(low_s, time_s), ifnull(high_s, time_s) " . ours . " AND series = ? ORDER BY n", word(names, i)) \
       using 1:2:3:4 with yerrorlines linetype look_of(word(names, i), i) title word(names, i), \
     for [v in their_names] query_for("SELECT rows, time_s " . theirs . " AND variant = ? ORDER BY rows", v) \
       using 1:2 with linespoints linetype 20 pointtype (v eq "tiled" ? 6 : 4) pointsize 0.8 title "published, " . (v eq "tiled" ? "tiled" : "not")
