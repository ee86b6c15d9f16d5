# The ladder of an experiment: the time of each rung beside its energy, the fastest on top, at the size and
# dtype at which most variants have both. extents: SQL of a size in words.
rungs = "(SELECT *, backend || '/' || variant AS name, min(median_s) AS time_s FROM records " \
  . "WHERE energy_j IS NOT NULL AND arithmetic = 'ieee' AND (workload, dtype, flops, bytes, on_gpu) = " \
  . "(SELECT workload, dtype, flops, bytes, on_gpu FROM records WHERE energy_j IS NOT NULL AND arithmetic = 'ieee' " \
  . "GROUP BY 1, 2, 3, 4, 5 ORDER BY on_gpu DESC, count(DISTINCT backend || variant) DESC, flops DESC LIMIT 1) " \
  . "GROUP BY name)"
run = "energy of four rungs or more: make energy"
# Fewer rungs are not shown as a ladder.
if (number("SELECT count(*) FROM " . rungs) < 4) { print missing(run); exit status 3 }
rows = "SELECT * FROM (SELECT 'time' AS panel, 'time' AS series, name, time_s AS x, low_s AS low, high_s AS high, 's' AS unit, tunables AS note, NULL AS look FROM " . rungs . " ORDER BY time_s)" \
  . " UNION ALL SELECT 'energy', 'energy', name, energy_j, energy_low_j, energy_high_j, 'J', tunables, NULL FROM " . rungs
subject = list("SELECT workload || ', ' || dtype || ', ' || " . extents . " FROM " . rungs . " LIMIT 1")
# Rungs whose intervals overlap count as equally fast, or equally thrifty.
finding = list("WITH rungs AS (SELECT * FROM " . rungs . "), fast AS (SELECT * FROM rungs ORDER BY time_s LIMIT 1), thrifty AS (SELECT * FROM rungs ORDER BY energy_j LIMIT 1), " \
  . "ties AS (SELECT count(*) AS count, max(r.name) AS name FROM rungs r, fast f WHERE r.name <> f.name AND r.low_s <= f.high_s), " \
  . "who AS (SELECT f.name || CASE count WHEN 0 THEN ' is the fastest' WHEN 1 THEN ' and ' || ties.name || ' are the fastest' ELSE printf(' and %d others are the fastest', count) END AS subject FROM fast f, ties) " \
  . "SELECT subject || CASE WHEN f.name = t.name AND count = 0 THEN ' and the thriftiest' WHEN f.energy_low_j <= t.energy_high_j OR f.energy_j < 1.01 * t.energy_j THEN ', and none is thriftier' " \
  . "ELSE printf(', %s takes %.0f %% less energy', t.name, 100 - 100 * t.energy_j / f.energy_j) END FROM fast f, thrifty t, ties, who")
load "scripts/figures/dots.gp"
