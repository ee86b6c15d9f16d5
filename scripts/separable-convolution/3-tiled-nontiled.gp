# Item 5 of the report: tiles of 16 x 16 compared with none, blocks of 16 x 16; and the last rung.
of(series, view) = "SELECT 'measured' AS panel, 'cuda/" . series . "' AS curve, n AS x, time_s AS y, low_s AS low, high_s AS high, NULL AS note, NULL AS look FROM " . view . " AND dtype = 'float'"
rows = of("global", "nontiled WHERE policy = 'default' AND variant = 'global'") . " UNION ALL " . of("padded", "nontiled WHERE policy = 'default' AND variant = 'padded'") \
  . " UNION ALL " . of("tiled", "tiled_16 WHERE policy = 'default'") . " UNION ALL " . of("fused", "best WHERE name = 'cuda/fused'") \
  . " UNION ALL SELECT 'published', CASE variant WHEN 'tiled' THEN 'with tiles' ELSE 'without tiles' END, rows, time_s, NULL, NULL, NULL, 20 FROM published_separable_convolution_tiled_vs_nontiled WHERE rows IN (SELECT n FROM tiled_16)"
run = "convsep on a GPU: make separable-convolution"
if (number("SELECT count(*) FROM tiled_16") == 0) { print missing(run); exit status 3 }
subject = "convsep, radius 16, float"
apart = 1
y_name = "time"
y_unit = "s"
x_name = "rows = columns (K = 1024)"
x_kind = "size"
load "scripts/figures/curves.gp"
