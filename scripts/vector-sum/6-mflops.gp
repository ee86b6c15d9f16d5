# The report's "Mean computing speed": (n - 1) / time, on the means over the block sizes.
rows = "SELECT 'measured' AS panel, method AS curve, n AS x, (n - 1) / time_s AS y, NULL AS low, NULL AS high, NULL AS note, NULL AS look FROM means" \
  . " UNION ALL SELECT 'published (GTX 960M)', method || ', published', n, 1e6 * mflops, NULL, NULL, NULL, 20 FROM published_vector_sum_mean_mflops"
run = "vector_sum/cuda/rw and brw as int on a GPU: make vector-sum"
if (number("SELECT count(*) FROM means") == 0) { print missing(run); exit status 3 }
subject = "vector_sum, int, mean over blocks"
y_name = "additions"
y_unit = "flop/s"
x_name = "elements (K = 1024)"
x_kind = "size"
load "scripts/figures/curves.gp"
