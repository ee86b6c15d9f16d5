#!/bin/bash
# The three tables of the report, published values beside ours: tables.sh DATABASE
# The published times are totals of 100 executions; here every time is of one.
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

heading cslab-dmv
echo "y = A x, float, caches hot, K = 1024; ms of one execution (published: total of 100, divided by 100);"
echo "interval: 95 % of our median; -: no record here, or nothing published"

# Ours: the fastest of the variants that stand for the report's.
ours="(SELECT *, min(time_s) AS fastest FROM counterpart GROUP BY variant, n)"
interval=$(between %.4g 'o.low_s * 1e3' 'o.high_s * 1e3')

for number in 1 2; do
  variant=$( ((number == 1)) && echo serial || echo cublas)
  published=published_cslab_dmv_$variant
  table "Table $number: $variant" "
    SELECT p.n_label AS n,
           printf('%.4g', p.time_s * 10) AS 'published ms',
           printf('%.4g', o.time_s * 1e3) AS 'ours ms', $interval AS 'interval ms',
           printf('%.4g', p.gflops) AS 'published Gflop/s', printf('%.4g', o.gflops) AS 'ours Gflop/s',
           printf('%.1f x', p.time_s / 100 / o.time_s) AS faster
    FROM $published p JOIN $ours o ON o.variant = '$variant' AND o.n = 1024 * CAST(p.n_label AS INTEGER)
    ORDER BY o.n"
done

table "Table 3: the best of each implementation" "
  SELECT p.n_label AS n, p.variant AS implementation,
         printf('%.4g', p.time_s * 1e3) AS 'published ms',
         coalesce('threads ' || p.threads, 'block ' || p.block) AS 'with',
         printf('%.4g', o.time_s * 1e3) AS 'ours ms', $interval AS 'interval ms',
         coalesce('threads ' || o.threads, 'block ' || o.block) AS 'with ',
         o.name AS 'our variant', printf('%.0f', o.roof_percent) AS '% of roof',
         printf('%.1f x', p.time_s / o.time_s) AS faster
  FROM published p JOIN $ours o ON o.variant = p.variant AND o.n = p.n
  ORDER BY p.n, CASE p.variant WHEN 'serial' THEN 0 WHEN 'openmp' THEN 1 WHEN 'naive' THEN 2
                               WHEN 'coalesced' THEN 3 WHEN 'shmem' THEN 4 ELSE 5 END"

table "The fastest of all, of ours" "
  SELECT (n / 1024) || 'K' AS n, name AS variant, printf('%.4g', min(time_s) * 1e3) AS 'ms',
         printf('%.4g', gflops) AS 'Gflop/s', printf('%.0f', roof_percent) AS '% of roof'
  FROM best GROUP BY best.n ORDER BY best.n"
