# Two sets of records: the time after over the time before, of the fastest setting of each variant, by size.
fastest = "(SELECT *, min(after_s) AS fastest_s FROM records WHERE ratio IS NOT NULL GROUP BY workload, backend, variant, dtype, cache, inputs, size)"
rows = "SELECT workload || ', ' || dtype || CASE cache WHEN 'hot' THEN '' ELSE ', ' || cache END || CASE inputs WHEN 'uniform' THEN '' ELSE ', ' || inputs END AS panel, backend || '/' || variant AS curve, bytes AS x, ratio AS y, ratio_low AS low, ratio_high AS high, change || ', ' || size || ifnull(', ' || tunables, '') AS note, NULL AS look FROM " . fastest . " ORDER BY workload, dtype"
run = "points with enough samples on both sides"
subject = "Time after / before"
finding = list("SELECT group_concat(count || ' ' || change, ', ') FROM (SELECT change, count(*) AS count FROM records GROUP BY change ORDER BY change = 'same', change = 'undecided', count DESC)")
origin = list("SELECT 'before: ' || before || char(10) || 'after: ' || after FROM records LIMIT 1")
apart = 1
level = 1
level_name = "as before"
y_name = "after / before"
y_unit = ""
x_name = "bytes of the problem"
x_kind = "bytes"
load "scripts/figures/curves.gp"
