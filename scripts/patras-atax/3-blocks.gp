# Time against block size, of the report's kernel as it was meant and of the naive one: claim P5.
ours = "FROM blocks WHERE n IN (4096, 8000, 10000, 12000)"
sizes = list("SELECT DISTINCT n " . ours . " ORDER BY n")
if (words(sizes) == 0) { print missing("atax/cuda/shared in double on a GPU: make patras-atax"); exit status 3 }

y_low = number("SELECT min(median_s) " . ours)
y_high = number("SELECT max(median_s) " . ours)
y_unit = "s"
@log_y
set title "atax, double: time against block size"
set ylabel "time"
set xlabel "threads per block" offset 0,-0.1
set logscale x 2
set xrange [14 : 1170]
set xtics (16, 32, 64, 128, 256, 512, 1024)
set key title "kernel, n" left
set label 1000 provenance("gpu")
variants = "shared naive"

# A colour for each size, as in both kernels.
plot for [v = 1:2] for [i = 1:words(sizes)] query_for("SELECT block, median_s, low_s, high_s " . ours . " AND variant = ? AND n = " . word(sizes, i) . " ORDER BY block", word(variants, v)) \
       using 1:2:3:4 with yerrorlines linetype i + 7 * (v - 1) \
       title word(variants, v) . ", " . word(sizes, i)
