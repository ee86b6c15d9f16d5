# From host memory and back: how near to the link's ceiling, or to that of the work, by size.
workloads = list("SELECT DISTINCT workload FROM overlapped ORDER BY workload")
dtypes = list("SELECT DISTINCT dtype FROM overlapped ORDER BY dtype DESC")
if (words(workloads) == 0) { print missing("from host memory: make from-host"); exit status 3 }

set title "From host memory and back: percent of the roof"
set ylabel "% of the roof: the link's, or that of the work"
set yrange [0:105]
set logscale x 2
set xrange [number("SELECT min(bytes) FROM overlapped") / 1.5 : number("SELECT max(bytes) FROM overlapped") * 1.5]
x_words(x) = bytes_text(x)
set xtics () font "," . small
do for [power = 20:40:2] { set xtics add (bytes_text(2.0 ** power) 2.0 ** power) }
set xlabel "bytes of the problem"
set label 1000 provenance("gpu")

# A colour for each workload; the second dtype has the open points and the dashes.
load "scripts/figures/workloads.gp"
plot for [i = 1:words(workloads)] for [d = 1:words(dtypes)] query_for("SELECT bytes, roof_percent FROM overlapped WHERE name = ? ORDER BY bytes", word(workloads, i) . "/" . word(dtypes, d)) \
       using 1:2 with linespoints linetype type_of(word(workloads, i)) + 7 * (d - 1) dashtype d title word(workloads, i) . "/" . word(dtypes, d), \
     100 with lines linetype 22 title "roof"
