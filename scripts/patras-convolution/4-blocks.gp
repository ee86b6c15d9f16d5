# The report's kernel with square blocks: time against size, one series per block and dtype. Its claim
# P3: blocks of 32 x 32 are impossible, 16 x 16 have half of all warps.
ours = "FROM blocks WHERE n >= 4096"
series = list("SELECT DISTINCT dtype || ':' || block_x " . ours . " ORDER BY dtype, block_x")
sizes = list("SELECT DISTINCT n " . ours . " ORDER BY n")
if (words(series) == 0) { print missing("conv2d/cuda/naive on a GPU: make patras-convolution"); exit status 3 }

y_low = number("SELECT min(ifnull(low_s, median_s)) " . ours)
y_high = number("SELECT max(ifnull(high_s, median_s)) " . ours)
y_unit = "s"
@log_y
load "scripts/figures/size-x.gp"
set title "conv2d 3x3: the report's kernel, one thread per point, by block"
set ylabel "time"
set label 1000 provenance("gpu")
dtype_of(s) = s[1:strstrt(s, ":") - 1]
edge_of(s) = s[strstrt(s, ":") + 1:*]

plot for [i = 1:words(series)] query_for("SELECT n, median_s, ifnull(low_s, median_s), ifnull(high_s, median_s) " . ours . " AND dtype = ? AND block_x = " . edge_of(word(series, i)) . " ORDER BY n", dtype_of(word(series, i))) \
       using 1:2:3:4 with yerrorlines linetype i \
       title sprintf("%s, %s x %s", dtype_of(word(series, i)), edge_of(word(series, i)), edge_of(word(series, i)))
