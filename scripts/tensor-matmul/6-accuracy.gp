# Accuracy against speed: each variant a path from the smallest of these sizes to the largest.
# In the gallery.
at = "n IN (1024, 4096, 8192)"
names = list("SELECT name FROM accuracy WHERE " . at . " GROUP BY name ORDER BY max(of_bound) DESC")
if (words(names) == 0) { print missing("errors of matmul: make tensor-matmul"); exit status 3 }

x_low = number("SELECT min(tflops) FROM accuracy WHERE " . at)
x_high = number("SELECT max(tflops) FROM accuracy WHERE " . at)
y_low = number("SELECT min(of_bound) FROM accuracy WHERE " . at)
y_high = number("SELECT max(of_bound) FROM accuracy WHERE " . at)
set logscale xy
set xrange [x_low / 1.6 : x_high * 1.6]
set yrange [y_low / 3 : y_high > 1 ? y_high * 4 : 4]
set xtics (1, 3, 10, 30, 100, 300, 1000) font "," . small
set ytics 100 font "," . small
set mytics 1
set xlabel "Tflop/s"
set label 1 at screen 0.012, screen 0.955 "matmul in float: what speed costs in accuracy"

sql_of(kind, columns) = "SELECT " . columns . " FROM accuracy WHERE inputs = '" . kind . "' AND " . at . " AND name = ? ORDER BY n"
title_of(name) = list_for("SELECT name || CASE arithmetic WHEN 'tf32' THEN ', TF32' ELSE '' END FROM accuracy WHERE name = ? LIMIT 1", name)
rank = "0.55 + 0.35 * (n > 1024) + 0.35 * (n > 4096)"  # the size of a point tells n

# Drawn by both, in one place: curves without a key have no names, which a browser shows.
set key at screen 0.73, screen 0.86 samplen 1
panel = 'plot 1 with lines linetype 22 notitle, for [i = 1:words(names)] ' \
    . 'query_for(sql_of(kind, "tflops, of_bound, " . rank), word(names, i)) using 1:2:3 ' \
    . 'with linespoints linetype i dashtype 1 linewidth 1 pointsize variable title title_of(word(names, i))'
told = 1 # by each panel
set multiplot
do for [p = 1:2] {
  kind = word("uniform wide", p)
  set lmargin at screen (p == 1 ? 0.15 : 0.45)
  set rmargin at screen (p == 1 ? 0.42 : 0.72)
  set tmargin at screen 0.845
  set title kind . " inputs" font "," . small
  set format y (p == 1 ? "%g" : "")
  if (p == 1) {
    set ylabel "largest error / bound of float" font "," . small offset 0,0
    set label 2 at screen 0.735, screen 0.36 "points grow with n:\n1024, 4096, 8192\nblack: float's bound\ngrey: up to twice what\nfloat errs: may stand in\nfor float" left font "," . small
    set label 1000 provenance("gpu")
  } else {
    unset ylabel; unset label 1; unset label 2; unset label 1000
  }
  limit = number("SELECT 2 * max(of_bound) FROM float_error WHERE inputs = '" . kind . "' AND " . at)
  set object 1 rectangle from graph 0, graph 0 to graph 1, first limit fillcolor rgb "#e9e9e9" fillstyle solid noborder behind
  eval panel
  if (format eq "svg") {
    set format "%.12e"
    set table $rows
    eval panel
    unset table
    eval tell_rows
    set format x "%g"
  }
}
unset multiplot
