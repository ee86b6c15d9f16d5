# Effect of granularity for each tile width, in the report's data type and sizes.
ours = "FROM granularity WHERE dtype = 'int' AND n IN (1000, 2000)"
tiles = list("SELECT DISTINCT tile " . ours . " ORDER BY tile")
sizes = list("SELECT DISTINCT n " . ours . " ORDER BY n")
if (words(tiles) == 0) { print missing("matmul/cuda/granularity in int on a GPU: make tiled-matmul"); exit status 3 }

published_speedup(n) = number("SELECT max(time_s) / min(time_s) FROM published WHERE n = " . n)
y_high = number("SELECT max(speedup) " . ours)
set yrange [0 : (y_high > 1.5 ? y_high : 1.5) * 1.15]
set title "Tiles side by side in a block: speedup over one tile, int"
set ylabel "speedup over tiled of the same width"
set xlabel "granularity: tiles of C per block" offset 0,-0.1
set logscale x 2
set xrange [0.9 : 4.45]
set xtics (1, 2, 4)
set label 1000 provenance("gpu")

series(i) = word(tiles, (i - 1) % words(tiles) + 1)
of(i) = word(sizes, (i - 1) / words(tiles) + 1)
plot for [i = 1:words(tiles) * words(sizes)] query("SELECT granularity, speedup, speedup_low, speedup_high " . ours . " AND tile = " . series(i) . " AND n = " . of(i) . " ORDER BY granularity") \
       using 1:2:3:4 with yerrorlines linetype i title sprintf("tile %s, n = %s", series(i), of(i)), \
     1 with lines linetype 21 linewidth 1 title "tiled", \
     for [i = 1:words(sizes)] "+" using (2):(published_speedup(word(sizes, i))) every ::0::0 with points linetype 20 pointtype points[i + 6] \
       title "published, n = " . word(sizes, i)
