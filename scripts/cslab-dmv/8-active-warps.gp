# Figure 8: active warps of a multiprocessor against block size. From the records of a GPU; without
# one, computed by the toolkit's occupancy header for sm_90 from the registers ptxas reported.
kernels = list("SELECT DISTINCT variant FROM timed WHERE active_warps IS NOT NULL AND variant IN ('naive', 'coalesced', 'shmem')")
if (words(kernels) > 0) {
  warps(v) = query_for("SELECT DISTINCT block, active_warps FROM timed WHERE variant = ? AND active_warps IS NOT NULL ORDER BY block", v)
  set label 1000 provenance("gpu")
} else {
  kernels = system("scripts/cslab-dmv/occupancy.sh kernels")
  if (words(kernels) == 0) { print missing("dmv on a GPU, and no CUDA toolkit to compute occupancy with: make cslab-dmv"); exit status 3 }
  warps(v) = "< scripts/cslab-dmv/occupancy.sh " . v
  set label 1000 "computed by cuda_occupancy.h for sm 90 from the compiled kernels, not measured"
}
set title "Active warps of a multiprocessor against block size"
set xlabel "threads per block"
set ylabel "active warps"
set xrange [0 : 528]
set xtics 64
set yrange [0 : 68]
set ytics 8
# The largest symbols first: where the curves coincide all of them can be seen.
plot for [i = 1:words(kernels)] warps(word(kernels, i)) using 1:2 with linespoints linetype i \
       pointtype shape(i + 6) pointsize 1.7 - 0.5 * i title "cuda/" . word(kernels, i), \
     "< scripts/cslab-dmv/occupancy.sh fermi" using 1:2 with linespoints linetype 20 pointsize 0.6 \
       title "Fermi, from its limits"
