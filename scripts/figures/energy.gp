# The ladder of an experiment, rung by rung: Gflop/s beside Gflop/J, each as a share of the best rung's,
# at the size and dtype at which most variants have both. extents: SQL of a size in words.
rungs = "(SELECT *, backend || '/' || variant AS name, min(median_s) AS time_s FROM records " \
  . "WHERE energy_j IS NOT NULL AND arithmetic = 'ieee' AND (workload, dtype, flops, bytes, on_gpu) = " \
  . "(SELECT workload, dtype, flops, bytes, on_gpu FROM records WHERE energy_j IS NOT NULL AND arithmetic = 'ieee' " \
  . "GROUP BY 1, 2, 3, 4, 5 ORDER BY on_gpu DESC, count(DISTINCT backend || variant) DESC, flops DESC LIMIT 1) " \
  . "GROUP BY name)"
names = list("SELECT name FROM " . rungs . " ORDER BY gflops")
# Of fewer there is no ladder to see.
if (words(names) < 4) { print missing("energy of four rungs or more: make energy"); exit status 3 }

load "scripts/figures/names-x.gp"
best(rate) = number("SELECT max(" . rate . ") FROM " . rungs)
# The ends of the intervals, too.
end_of_bars = number("SELECT max(gflops * median_s / low_s) FROM " . rungs) / best("gflops")
set yrange [0 : 100 * (end_of_bars > 1.06 ? end_of_bars : 1.06) + 2]
set ylabel "percent of the best rung"
set title list("SELECT workload || ', ' || dtype || ', ' || " . extents . " || ': rate and energy of the ladder' FROM " . rungs . " LIMIT 1")
set label 1000 provenance("gpu")

in_words(v) = v >= 100 ? sprintf("%.0f", v) : sprintf("%.3g", v)
# In thousands of these, where they are many.
unit_of(rate) = best(rate) >= 1e4 ? 1e3 : 1
name_of(rate, unit) = (unit_of(rate) > 1 ? "T" : "G") . unit . ", 100 = " . in_words(best(rate) / unit_of(rate))
per_second = name_of("gflops", "flop/s")
per_joule = name_of("gflops_per_j", "flop/J")
share_of(rate, low, high) = query(sprintf("SELECT %s AS place, 100 * %s / %.9g AS share, 100 * %s / %.9g, 100 * %s / %.9g FROM %s ORDER BY place", \
    place, rate, best(rate), rate . low, best(rate), rate . high, best(rate), rungs))
noted(curve, rate) = sprintf("SELECT '%s', %s, printf('%%.6g', %s / %g) || ifnull(', ' || tunables, '') FROM %s", curve, place, rate, unit_of(rate), rungs)
notes = noted(per_second, "gflops") . " UNION " . noted(per_joule, "gflops_per_j")

plot share_of("gflops", " * median_s / high_s", " * median_s / low_s") \
       using 1:2:3:4 with yerrorlines linetype 1 title per_second, \
     share_of("gflops_per_j", " * energy_j / energy_high_j", " * energy_j / energy_low_j") \
       using 1:2:3:4 with yerrorlines linetype 2 title per_joule
