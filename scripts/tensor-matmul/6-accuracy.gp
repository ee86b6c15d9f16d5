# Products of floats at 8192 or the largest size there is: their speed, and their largest errors, in bounds of float, with
# inputs of one order of magnitude and of many.
# In the gallery.
at = "FROM accuracy WHERE n = (SELECT max(n) FROM accuracy WHERE n <= 8192)"
titled = "name || CASE arithmetic WHEN 'tf32' THEN ', TF32' ELSE '' END"
rows = "SELECT * FROM (SELECT 'speed' AS panel, 'speed' AS series, " . titled . " AS name, 1e12 * max(tflops) AS x, NULL AS low, NULL AS high, 'flop/s' AS unit, NULL AS note, NULL AS look " . at . " GROUP BY name ORDER BY tflops DESC)" \
  . " UNION ALL SELECT 'error, like inputs', 'error, like inputs', " . titled . ", of_bound, NULL, NULL, '', NULL, NULL " . at . " AND errors_on = 'uniform'" \
  . " UNION ALL SELECT 'error, wide inputs', 'error, wide inputs', " . titled . ", of_bound, NULL, NULL, '', NULL, NULL " . at . " AND errors_on = 'wide'"
run = "errors of matmul: make tensor-matmul"
subject = "matmul in float"
best = "FROM stands_in WHERE n = (SELECT max(n) FROM stands_in WHERE n <= 8192)"
finding = list("SELECT printf('%s errs at most twice as much as float, at %.1f times its speed', name, max(tflops) / (SELECT max(tflops) " . best . " AND arithmetic = 'ieee')) " . best . " AND arithmetic <> 'ieee' AND times_float <= 2 HAVING count(*) > 0")
if (strlen(finding) == 0) { finding = "what speed costs in accuracy" }
load "scripts/figures/dots.gp"
