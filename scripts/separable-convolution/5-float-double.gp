# Item 7 of the report: float compared with double, tiled. Its label says tiles of 16 x 16, but its largest
# time is that of 16 x 128 in the column pass: both are shown.
of(tiles, view) = "SELECT 'measured' AS panel, dtype || ', " . tiles . "' AS curve, n AS x, time_s AS y, low_s AS low, high_s AS high, NULL AS note, NULL AS look FROM " . view . " WHERE policy = 'default'"
rows = of("16x16", "tiled_16") . " UNION ALL " . of("16x128", "tiled_tall") \
  . " UNION ALL SELECT 'published', data_type, rows, time_s, NULL, NULL, NULL, 20 FROM published_separable_convolution_float_double WHERE time_s IS NOT NULL AND rows IN (SELECT n FROM tiled_16)"
run = "convsep/cuda/tiled: make separable-convolution"
if (number("SELECT count(*) FROM tiled_16") == 0) { print missing(run); exit status 3 }
subject = "convsep, radius 16, tiled"
finding = list("SELECT printf('double takes %.2f times as long as float at %d', d.time_s / f.time_s, max(d.n)) FROM tiled_16 d JOIN tiled_16 f USING (n, policy) WHERE d.dtype = 'double' AND f.dtype = 'float' AND policy = 'default' HAVING count(*) > 0")
if (strlen(finding) == 0) { finding = "float and double" }
apart = 1
y_name = "time"
y_unit = "s"
x_name = "rows = columns (K = 1024)"
x_kind = "size"
load "scripts/figures/curves.gp"
