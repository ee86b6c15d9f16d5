# Item 4 of the report: its nine settings of block and tiles (of the row pass, of the column pass) at 8192, and the
# best of our search.
setting(s) = s . ".block_shape || ', ' || replace(" . s . ".tiles, ' ', ', ')"
others = "FROM at_largest t WHERE block_shape || tiles NOT IN (SELECT block_shape || tiles FROM settings)"
rows = "SELECT * FROM (SELECT 'measured' AS panel, 'measured' AS series, " . setting("s") . " AS name, t.time_s AS x, low_s AS low, high_s AS high, 's' AS unit, NULL AS note, NULL AS look FROM settings s JOIN at_largest t ON t.block_shape = s.block_shape AND t.tiles = s.tiles" \
  . " UNION ALL SELECT * FROM (SELECT 'measured', 'measured', " . setting("t") . ", time_s, low_s, high_s, 's', 'the best of our search', NULL " . others . " ORDER BY time_s LIMIT 1)) WHERE x IS NOT NULL ORDER BY x" \
  . ""
rows = "SELECT * FROM (" . rows . ") UNION ALL SELECT 'published', 'published', " . setting("s") . ", published_s, NULL, NULL, 's', NULL, 20 FROM settings s WHERE (SELECT max(n) FROM at_largest) = 8192"
run = "convsep/cuda/tiled: make separable-convolution"
if (number("SELECT count(*) FROM at_largest") == 0) { print missing(run); exit status 3 }
subject = "convsep, radius 16, float, n = " . list("SELECT max(n) FROM at_largest")
finding = list("SELECT printf('the best of %d other settings is %.2f times as fast as the report''s best', count(*), (SELECT min(t.time_s) FROM settings s JOIN at_largest t ON t.block_shape = s.block_shape AND t.tiles = s.tiles) / min(time_s)) " . others . " HAVING count(*) > 0")
if (strlen(finding) == 0) { finding = "the report's settings" }
load "scripts/figures/dots.gp"
