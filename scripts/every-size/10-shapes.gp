# From 64 times as wide as high to 64 times as high as wide, about as many elements: percent of the
# roof, float.
of_it = "FROM shapes WHERE kind = 'float' AND roof_percent IS NOT NULL"
names = list("SELECT workload " . of_it . " GROUP BY workload HAVING max(shape) > 2 ORDER BY max(roof_percent) DESC")
if (words(names) == 0) { print missing("several shapes: make every-size"); exit status 3 }

set logscale x 2
set xrange [1.0 / 100 : 100]
set xtics () font "," . small
x_words(x) = x < 1 ? "1:" . three(1 / x) : three(x) . ":1"
do for [power = -6:6:2] { set xtics add (x_words(2.0 ** power) 2.0 ** power) }
set xlabel "height : width; points alone: odd extents"
set yrange [0 : 105]
set ylabel "percent of the roof"
set title "Equally many elements, 1:64 to 64:1, float: % of the roof"
set label 1000 provenance("gpu")

load "scripts/figures/workloads.gp"
curve = "SELECT shape, roof_percent FROM shapes_drawn WHERE kind = 'float' AND workload = ? ORDER BY odd, shape, high, place"
plot for [i = 1:words(names)] query_for(curve, word(names, i)) \
       using 1:2 with linespoints linetype type_of(word(names, i)) title word(names, i), \
     100 with lines linetype 22 notitle
