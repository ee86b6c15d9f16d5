# Item 4 of the report: its nine settings of block and tiles at 8192, and the best of our search.
at = "FROM at_largest"
n = int(number("SELECT max(n) " . at))
if (n == 0) { print missing("convsep/cuda/tiled: make separable-convolution"); exit status 3 }

ours = "FROM settings s JOIN at_largest t ON t.block_shape = s.block_shape AND t.tiles = s.tiles"
others = "FROM at_largest WHERE block_shape || tiles NOT IN (SELECT block_shape || tiles FROM settings)"
searched = number("SELECT count(*) " . others)
best = list("SELECT block_shape || ' ' || tiles " . others . " ORDER BY time_s LIMIT 1")
y_low = number("SELECT min(v) FROM (SELECT min(time_s) AS v " . at . " UNION SELECT min(published_s) FROM settings)")
y_high = number("SELECT max(v) FROM (SELECT max(t.time_s) AS v " . ours . " UNION SELECT max(published_s) FROM settings)")
y_unit = "s"
@log_y
set title "convsep, radius 16, float: tiles, n = " . k(n)
set ylabel "time"
set xlabel "block; tile of the row pass; tile of the column pass" offset 0,-1.6
set bmargin at screen 0.29
set rmargin at screen 0.97
set key at graph 0.62, graph 0.66
set xtics () font "," . tiny
labels = list("SELECT place || ';' || block_shape || ';' || replace(tiles, ' ', ';') FROM settings ORDER BY place")
rest(s) = s[strstrt(s, ";") + 1:*]
part(s, i) = (i > 1) ? part(rest(s), i - 1) : (strstrt(s, ";") == 0) ? s : s[1:strstrt(s, ";") - 1]
do for [s in labels] { set xtics add (part(s, 2) . "\n" . part(s, 3) . "\n" . part(s, 4) real(part(s, 1))) }
last = words(labels) + (searched > 0)
if (searched > 0) { set xtics add (word(best, 1) . "\n" . word(best, 2) . "\n" . word(best, 3) last) }
set xrange [0.4 : last + 0.6]
x_words(x) = x > words(labels) ? best : sprintf("%s %s %s", part(word(labels, int(x)), 2), part(word(labels, int(x)), 3), part(word(labels, int(x)), 4))
set label 1000 provenance("gpu")
search_points = searched == 0 ? "" : ", query('SELECT ' . last . ', min(time_s) ' . others) using 1:2 with points linetype 3 pointsize 1.2 title sprintf('best of %d more', searched)"

plot query("SELECT place, t.time_s, ifnull(low_s, t.time_s), ifnull(high_s, t.time_s) " . ours . " ORDER BY place") \
       using 1:2:3:4 with yerrorbars linetype 2 pointsize 1.2 title "measured", \
     query("SELECT place, published_s FROM settings WHERE " . (n == 8192) . " ORDER BY place") \
       using 1:2 with points linetype 20 title (n == 8192 ? "published" : "") @search_points
