#!/bin/bash
# The table of the report, published values beside ours, the ladder and the occupancy argument:
# tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

milliseconds="$(as %.4g 'o.time_s * 1e3') AS 'ours ms', $(between %.4g 'o.low_s * 1e3' 'o.high_s * 1e3') AS 'interval ms'"

heading patras-convolution
cat <<'END'
3x3 convolution of an n x n image, caches hot, ms of one execution; interval: 95 %; -: no record here
roof: the time of reading a and writing the interior of b once, at the measured rate of copying
There is no blas backend: no vendor library of the toolkit computes this on plain arrays.
END

table "The report's table, double: times (ours: serial/plain; its kernel is cuda/naive, best block)" "
  SELECT p.n, p.variant AS published, printf('%.4g', p.time_s * 1e3) AS 'published ms',
         o.name AS ours, $milliseconds,
         CASE WHEN o.backend = 'cuda' THEN o.block_x || 'x' || o.block_y END AS block,
         $(as '%.1f x' 'p.time_s / o.time_s') AS faster
  FROM published p LEFT JOIN best o ON o.n = p.n AND o.name = p.name AND o.dtype = p.dtype
  ORDER BY p.n, p.variant DESC"

table "The report's table, double: speedup over serial, and % of the roof in place of its undefined utilization" "
  SELECT p.n, p.published_speedup AS published, p.utilization AS 'published utilization %', o.name AS ours,
         $speedup, $(as %.1f roof_percent) AS '% of roof'
  FROM published p LEFT JOIN (SELECT * FROM best WHERE on_gpu AND dtype = 'double') o ON o.n = p.n
       AND (o.name = p.name OR o.time_s = (SELECT min(time_s) FROM best WHERE on_gpu AND dtype = 'double' AND n = p.n))
  WHERE p.variant = 'cuda' ORDER BY p.n, o.time_s DESC"

table "The report's kernel by block, ms" "
  SELECT dtype, n, $(as %.4g "max(CASE block_x WHEN 8 THEN median_s END) * 1e3") AS '8x8',
         $(as %.4g "max(CASE block_x WHEN 16 THEN median_s END) * 1e3") AS '16x16',
         $(as %.4g "max(CASE block_x WHEN 32 THEN median_s END) * 1e3") AS '32x32'
  FROM blocks WHERE n >= 4096 GROUP BY dtype, n ORDER BY dtype, n"

table "The occupancy argument: blocks and warps of the report's kernel (double) on a multiprocessor, by its limits" "
  SELECT device, counted AS 'registers counted', registers, edge || 'x' || edge AS block,
         by_registers AS 'blocks by registers', by_warps AS 'by warps', most_blocks AS 'at most',
         resident AS 'blocks', resident * block_warps AS warps,
         printf('%.0f', 100.0 * resident * block_warps / most_warps) AS 'occupancy %'
  FROM occupancy_argument ORDER BY device DESC, counted DESC, edge"

table "The same as the driver of this machine computes it, for all kernels at their best tunables; 8192" "
  SELECT dtype, name AS kernel, registers, spill_bytes AS 'spilled bytes',
         block_x || 'x' || block_y AS block, shared_bytes AS 'shared bytes',
         active_warps / (block_x * block_y / 32) AS blocks, active_warps AS warps,
         printf('%.0f', 100 * occupancy) AS 'occupancy %', limited_by AS 'limited by'
  FROM best WHERE on_gpu AND active_warps IS NOT NULL AND n = 8192 ORDER BY dtype, time_s DESC"

for dtype in double float; do
  table "All variants, $dtype, best tunables" "
    SELECT n, name AS variant, $(as %.4g 'time_s * 1e3') AS ms,
           $(between %.4g 'low_s * 1e3' 'high_s * 1e3') AS 'interval ms',
           printf('%.4g', gbytes_per_s) AS 'GB/s', $(as %.1f roof_percent) AS '% of roof', $speedup
    FROM best WHERE dtype = '$dtype' ORDER BY n, on_gpu, time_s DESC"
done

table "Cold caches against hot, double, at the defaults" "
  SELECT c.n, c.name AS variant, $(as %.4g 'c.median_s * 1e3') AS 'cold ms',
         $(between %.4g 'c.low_s * 1e3' 'c.high_s * 1e3') AS 'interval ms',
         $(as %.4g 'min(h.median_s) * 1e3') AS 'hot ms', $(as %.1f c.roof_percent) AS '% of roof, cold'
  FROM every c LEFT JOIN timed h ON h.n = c.n AND h.name = c.name AND h.dtype = c.dtype
  WHERE c.cache = 'cold' GROUP BY c.n, c.name ORDER BY c.n, c.median_s DESC"
