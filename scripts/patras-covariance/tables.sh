#!/bin/bash
# The table of the report, published values beside ours, and what follows: tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

interval=$(between %.4g 'low_s * 1e3' 'high_s * 1e3')
shares="$(as %.1f roof_percent) AS '% of roof', $(as %.1f peak_percent) AS '% of peak'"

heading patras-covariance
cat <<'END'
covariance of n variables, n observations each, caches hot, ms of one execution; interval: 95 %; -: no record here
roof: the time the multiply-adds of one triangle need at the measured rate, or its data at the measured bandwidth
peak: that rate of multiply-adds, without tensor cores; cuBLAS and cuda/tensor use them for double, have
their rate as their roof, and may pass 100
END

table "The report's table, double: times (ours: serial/plain; its kernel as it was meant is cuda/tiled, best tile)" "
  SELECT p.n, p.variant AS published, printf('%.4g', p.time_s * 1e3) AS 'published ms',
         o.name AS ours, $(as %.4g 'o.time_s * 1e3') AS 'ours ms',
         $(between %.4g 'o.low_s * 1e3' 'o.high_s * 1e3') AS 'interval ms', o.tile,
         $(as '%.1f x' 'p.time_s / o.time_s') AS faster
  FROM published p LEFT JOIN best o ON o.n = p.n AND o.name = p.name AND o.dtype = 'double'
  ORDER BY p.n, p.variant DESC"

table "The report's table, double: speedup over serial, and what stands for its undefined utilization" "
  SELECT p.n, p.published_speedup AS published, p.utilization AS 'published utilization %', o.name AS ours,
         $speedup, $shares
  FROM published p LEFT JOIN
       (SELECT * FROM ladder WHERE dtype = 'double' AND name IN ('cuda/tiled', 'cuda/register', 'cuda/balanced', 'cuda/tensor', 'cuda/tensor_bulk')) o ON o.n = p.n
  WHERE p.variant = 'cuda' ORDER BY p.n, o.time_s DESC"

table "Tiles of 8, 16 and 32, double: ms, and speedup over serial/plain (P9: 8 and 32 worse than 16, but still very large)" "
  SELECT n, variant AS kernel, $(as %.4g "max(CASE tile WHEN 8 THEN median_s END) * 1e3") AS '8',
         $(as %.4g "max(CASE tile WHEN 16 THEN median_s END) * 1e3") AS '16',
         $(as %.4g "max(CASE tile WHEN 32 THEN median_s END) * 1e3") AS '32',
         $(as %.4g "max(CASE tile WHEN 8 THEN speedup END)") AS '8 over serial',
         $(as %.4g "max(CASE tile WHEN 16 THEN speedup END)") AS '16 over serial',
         $(as %.4g "max(CASE tile WHEN 32 THEN speedup END)") AS '32 over serial'
  FROM tiles GROUP BY n, variant ORDER BY n, max(median_s) DESC"

table "The upper triangle packed against both triangles (cuda/packed, cuda/mirror), best tiles" "
  SELECT dtype, n, printf('%.4g', mirror_s * 1e3) AS 'mirror ms', mirror_tile AS tile,
         printf('%.4g', packed_s * 1e3) AS 'packed ms', packed_tile AS 'tile ',
         printf('%.3f', times) AS 'packed faster', $(between %.3f times_low times_high) AS interval,
         CASE WHEN times_low > 1 THEN 'packed' WHEN times_high < 1 THEN 'mirror' ELSE 'tie' END AS winner,
         $(as %.3f moved_times) AS 'with copies'
  FROM packed ORDER BY dtype, n"

for dtype in double float; do
  table "All variants, $dtype, best tunables; times: as fast as syrk of the same device's library" "
    SELECT n, name AS variant, tile, printf('%.4g', time_s * 1e3) AS ms, $interval AS 'interval ms',
           printf('%.4g', gflops) AS 'Gflop/s', $shares,
           $(as %.2f times) AS times, $(between %.2f times_low times_high) AS 'interval of times',
           $speedup
    FROM ladder WHERE dtype = '$dtype' ORDER BY n, on_gpu, time_s DESC"
done

table "The printed experiment, double: sums divided by 3214212.01 and not by n; the time must be the same" "
  SELECT p.n, p.name AS variant, p.tile, printf('%.4g', p.time_s * 1e3) AS 'printed ms',
         $(between %.4g 'p.low_s * 1e3' 'p.high_s * 1e3') AS interval,
         $(as %.4g 'o.time_s * 1e3') AS 'right ms',
         $(between %.4g 'o.low_s * 1e3' 'o.high_s * 1e3') AS 'interval '
  FROM polybench p LEFT JOIN (SELECT *, min(median_s) AS time_s FROM timed GROUP BY name, dtype, n, tile) o
       ON o.n = p.n AND o.name = p.name AND o.dtype = p.dtype AND o.tile IS p.tile
  ORDER BY p.n, p.name"

table "What has no time, and why" "
  SELECT n, name AS variant, dtype, tile, verdict FROM every WHERE verdict <> 'passed'
  ORDER BY name, dtype, n"
