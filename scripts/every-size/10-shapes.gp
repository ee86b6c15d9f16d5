# From 64 times as wide as high to 64 times as high as wide, with about as many elements: percent of the
# limit, float. Odd extents stand alone.
of_it = "FROM shapes WHERE kind = 'float' AND roof_percent IS NOT NULL AND workload IN (SELECT workload FROM shapes WHERE kind = 'float' GROUP BY workload HAVING max(shape) > 2)"
rows = "SELECT '' AS panel, workload AS curve, shape AS x, roof_percent AS y, NULL AS low, NULL AS high, CASE high % 2 WHEN 1 THEN size END AS note, NULL AS look " . of_it
loose = "note IS NOT NULL"
run = "several shapes: make every-size"
subject = "Equally many elements, float"
finding = list("SELECT printf('the worst shape is %s of %s, at %.0f %% of the limit', size, workload, min(roof_percent)) " . of_it . " HAVING count(*) > 0")
linear = 1
y_least = 0
level = 100
y_name = "share of the limit"
y_unit = "%"
x_name = "height : width"
x_kind = "steps"
x_words(x) = x < 1 ? "1:" . three(1 / x) : three(x) . ":1"
load "scripts/figures/curves.gp"
