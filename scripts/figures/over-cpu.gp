# Speedup over the best CPU variant against size: one panel for kernels alone, one with pageable copies to the
# GPU and back. Set view, dtype, run, subject, x_name, and moved (SQL of names), the kernels of the second
# panel. Both speedups are over the serial variant of one host, which cancels out.
ours = "(SELECT *, (SELECT max(speedup) FROM " . view . " c WHERE NOT c.on_gpu AND c.dtype = '" . dtype . "' AND c.n = b.n) AS on_cpu FROM " . view . " b WHERE dtype = '" . dtype . "' AND on_gpu AND speedup IS NOT NULL)"
rows = "SELECT 'kernels alone' AS panel, name AS curve, n AS x, speedup / on_cpu AS y, speedup / on_cpu * time_s / high_s AS low, speedup / on_cpu * time_s / low_s AS high, tunables AS note, NULL AS look FROM " . ours \
  . " UNION ALL SELECT 'pageable copies', name, n, speedup_transfers / on_cpu, NULL, NULL, tunables, NULL FROM " . ours . " WHERE speedup_transfers IS NOT NULL AND name IN (" . moved . ")"
apart = 1
level = 1
level_name = "the best of the CPU"
y_name = "times as fast as the CPU"
y_unit = ""
x_kind = "size"
found = list("SELECT printf('%s %.3g %.3g', max(" . k_of("n") . "), max(speedup / on_cpu), max(CASE WHEN name IN (" . moved . ") THEN speedup_transfers / on_cpu END)) FROM " . ours . " WHERE n = (SELECT max(n) FROM " . ours . " WHERE on_cpu IS NOT NULL)")
if (words(found) == 3) {
  with_copies = real(word(found, 3))
  finding = sprintf("at %s %s times as fast as the CPU", word(found, 1), word(found, 2)) \
      . (with_copies > 1 ? sprintf(", %s with pageable copies", word(found, 3)) : with_copies > 0 ? sprintf(", but %.2g times slower with pageable copies", 1 / with_copies) : "")
}
load "scripts/figures/curves.gp"
