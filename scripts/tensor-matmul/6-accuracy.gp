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
set xrange [x_low / 1.5 : x_high * 1.8]
set yrange [y_low / 3 : y_high > 1 ? y_high * 4 : 4]
set xtics (1, 5, 20, 100, 500) font "," . small
set format y "%g"
set ytics font "," . small
set mytics 1
set xlabel "Tflop/s, log" offset 0,0.4
set bmargin at screen 0.20
set tmargin at screen 0.84
set label 1000 provenance("gpu")
set label 1 at screen 0.012, screen 0.955 "matmul in float, hot: what speed costs in accuracy"
set label 2 at screen 0.726, screen 0.30 "black: the bound of float\ngrey: up to twice what\nfloat errs; there a variant\nmay stand in for float" left font "," . small

inputs = "uniform wide"
title_of(name) = list_for("SELECT name || CASE arithmetic WHEN 'tf32' THEN ', TF32' ELSE '' END FROM accuracy WHERE name = ? LIMIT 1", name)
labelled = "cuda/overlapped cuda/fp16x3"
set multiplot
do for [p = 1:2] {
  kind = word(inputs, p)
  set lmargin at screen (p == 1 ? 0.125 : 0.435)
  set rmargin at screen (p == 1 ? 0.395 : 0.715)
  set title (kind eq "uniform" ? "uniform inputs" : "wide inputs") font "," . small
  if (p == 1) { set ylabel "largest error, in bounds of float" font "," . small offset 0.5,0 } else { unset ylabel; unset label 1; unset label 2; unset label 1000; set format y "" }
  if (p == 2) { set key at screen 0.722, screen 0.86 } else { unset key }
  labels = (p == 1) ? words(labelled) : 0
  limit = number("SELECT 2 * max(of_bound) FROM float_error WHERE inputs = '" . kind . "' AND " . at)
  set object 1 rectangle from graph 0, graph 0 to graph 1, first limit fillcolor rgb "#e4e4e4" fillstyle solid noborder behind
  plot for [i = 1:words(names)] query_for("SELECT tflops, of_bound FROM accuracy WHERE inputs = '" . kind . "' AND " . at . " AND name = ? ORDER BY n", word(names, i)) \
         using 1:2 with linespoints linetype i title title_of(word(names, i)), \
       for [i = 1:labels] query_for("SELECT tflops, of_bound, (n / 1024) || 'K' FROM accuracy WHERE inputs = '" . kind . "' AND " . at . " AND name = ? ORDER BY n", word(labelled, i)) \
         using 1:2:3 with labels left offset 0.7,0.5 font "," . tiny, \
       1 with lines linetype 22 notitle
}
unset multiplot
