# Effect of granularity for each tile width, in the report's data type and sizes.
ours = "FROM granularity WHERE dtype = 'int' AND n IN (1000, 2000)"
rows = "SELECT 'n = ' || n AS panel, 'tile ' || tile AS curve, granularity AS x, speedup AS y, speedup_low AS low, speedup_high AS high, NULL AS note, NULL AS look " . ours . " UNION ALL SELECT 'n = ' || n, 'published', 2, max(time_s) / min(time_s), NULL, NULL, NULL, 20 FROM published WHERE n IN (SELECT n " . ours . ") GROUP BY n"
run = "matmul/cuda/granularity in int on a GPU: make tiled-matmul"
if (number("SELECT count(*) " . ours) == 0) { print missing(run); exit status 3 }
subject = "matmul, int"
finding = list("SELECT printf('%d tiles side by side are up to %.2f times as fast as one', granularity, max(speedup)) " . ours)
apart = 1
linear = 1
y_least = 0
level = 1
level_name = "one tile"
y_name = "speedup over tiled of the same width"
y_unit = ""
x_name = "granularity: tiles of C per block"
x_kind = "steps"
load "scripts/figures/curves.gp"
