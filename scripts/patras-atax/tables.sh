#!/bin/bash
# The table of the report, published values beside ours, and what follows: tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

interval=$(between %.4g 'low_s * 1e3' 'high_s * 1e3')

heading patras-atax
echo "y = A^T (A x), A n x n, caches hot, ms of one execution; interval: 95 %; -: no record here"
echo "roof: the time of reading A once at the measured rate; two gemv read it twice"

table "The report's table, double: times (ours: serial/plain; its kernel as it was meant is cuda/shared, best block)" "
  SELECT p.n, p.variant AS published, printf('%.4g', p.time_s * 1e3) AS 'published ms',
         o.name AS ours, $(as %.4g 'o.time_s * 1e3') AS 'ours ms',
         $(between %.4g 'o.low_s * 1e3' 'o.high_s * 1e3') AS 'interval ms', o.block,
         $(as '%.1f x' 'p.time_s / o.time_s') AS faster
  FROM published p LEFT JOIN best o ON o.n = p.n AND o.name = p.name AND o.dtype = 'double'
  ORDER BY p.n, p.variant DESC"

table "The report's table, double: speedup over serial, and what stands for its undefined utilization" "
  SELECT p.n, p.published_speedup AS published, p.utilization AS 'published utilization %', o.name AS ours,
         $speedup, $(as %.1f roof_percent) AS '% of roof'
  FROM published p LEFT JOIN
       (SELECT * FROM best WHERE dtype = 'double' AND name IN ('cuda/shared', 'cuda/fused', 'cuda/bulk')) o ON o.n = p.n
  WHERE p.variant = 'cuda' ORDER BY p.n, o.time_s DESC"

columns=
for block in 16 32 64 128 256 512 1024; do
  columns+=", $(as %.4g "max(CASE block WHEN $block THEN median_s END) * 1e3") AS '$block'"
done
table "Block sizes, double, ms (P5: 128, 256 and 512 alike, below 32 worse)" "
  SELECT variant AS kernel, n $columns FROM blocks GROUP BY variant, n ORDER BY variant DESC, n"

for dtype in double float; do
  table "All variants, $dtype, best tunables; times: as fast as two gemv on the same device" "
    SELECT n, name AS variant, printf('%.4g', time_s * 1e3) AS ms, $interval AS 'interval ms',
           printf('%.4g', gbytes_per_s) AS 'GB/s', $(as %.1f roof_percent) AS '% of roof',
           $(as %.2f times) AS times, $(between %.2f times_low times_high) AS 'interval of times',
           $speedup
    FROM ladder WHERE dtype = '$dtype' ORDER BY n, on_gpu, time_s DESC"
done
