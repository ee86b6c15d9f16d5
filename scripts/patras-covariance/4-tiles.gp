# Time against size of the report's kernel as it was meant, of the naive one and of the triangle, with
# tiles of 8, 16 and 32: claim P9.
ours = "FROM tiles WHERE variant IN ('naive', 'tiled', 'mirror')"
series = list("SELECT DISTINCT variant || ':' || tile " . ours . " ORDER BY variant DESC, tile")
sizes = list("SELECT DISTINCT n " . ours . " ORDER BY n")
if (words(series) == 0) { print missing("covariance/cuda in double on a GPU: make patras-covariance"); exit status 3 }

y_low = number("SELECT min(ifnull(low_s, median_s)) " . ours)
y_high = number("SELECT max(ifnull(high_s, median_s)) " . ours)
y_unit = "s"
@log_y
load "scripts/figures/size-x.gp"
set xlabel "observations = variables (K = 1024)"
set title "covariance, double: time by width of the tile"
set ylabel "time"
set key title "kernel, tile" left
set label 1000 provenance("gpu")
variant_of(s) = s[1:strstrt(s, ":") - 1]
tile_of(s) = s[strstrt(s, ":") + 1:*]

plot for [i = 1:words(series)] query_for("SELECT n, median_s, ifnull(low_s, median_s), ifnull(high_s, median_s) " . ours . " AND variant = ? AND tile = " . tile_of(word(series, i)) . " ORDER BY n", variant_of(word(series, i))) \
       using 1:2:3:4 with yerrorlines linetype i title variant_of(word(series, i)) . ", " . tile_of(word(series, i))
