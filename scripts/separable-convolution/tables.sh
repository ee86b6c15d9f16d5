#!/bin/bash
# The tables of the report, published values beside ours, the ratios of accesses, and the ladder:
# tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

ms() { as %.4g "$1 * 1e3"; }
interval() { between %.4g "$1.low_s * 1e3" "$1.high_s * 1e3"; }

heading separable-convolution
cat <<'END'
A filter of radius 16 along the rows and the columns of an n x n image, caches hot, ms of one
execution of both passes; interval: 95 %; -: no record here. The report's card was a GeForce GTX 480.
cg: loads past the L1 cache; cs, wt: loads and stores that expect no second use. Its flags (ptxas
-dlcm, -dscm) said so for a whole program; today these are hints for single accesses. Neither then
nor now does any of them switch the L2 cache off.
There is no blas backend: no vendor library of the toolkit computes this on plain arrays.
END

for kernel in nontiled tiled; do
  [[ $kernel == tiled ]] && what="tiles of 16x16 (item 6)" || what="without tiles, cuda/padded (item 1)"
  table "Cache policies, $what" "
    SELECT p.n, p.policy, $(ms p.time_s) AS 'published ms', $(ms o.time_s) AS 'ours ms',
           $(interval o) AS 'interval ms',
           printf('%+.0f %%', 100 * (p.time_s / d.time_s - 1)) AS 'published over default',
           $(as '%+.0f %%' '100 * (o.time_s / e.time_s - 1)') AS 'ours over default'
    FROM published_policies p
    JOIN published_policies d ON d.kernel = p.kernel AND d.n = p.n AND d.policy = 'default'
    LEFT JOIN policies o ON o.kernel = p.kernel AND o.n = p.n AND o.policy = p.policy
    LEFT JOIN policies e ON e.kernel = p.kernel AND e.n = p.n AND e.policy = 'default'
    WHERE p.kernel = '$kernel' ORDER BY p.n, p.policy"
done

table "Tile sizes (item 4): block, tile of the row pass, tile of the column pass; ours at the largest n" "
  SELECT s.block_shape AS block, s.tiles, $(ms published_s) AS 'published ms', o.n, $(ms o.time_s) AS 'ours ms',
         $(interval o) AS 'interval ms', o.shared_bytes AS 'shared bytes of kernel 2',
         o.registers, $(as %.0f 'o.occupancy * 100') AS 'occupancy %'
  FROM settings s LEFT JOIN at_largest o ON o.block_shape = s.block_shape AND o.tiles = s.tiles
  ORDER BY s.place"

table "Tile sizes: the best of all that were measured" "
  SELECT block_shape AS block, tiles, n, $(ms time_s) AS 'ours ms', $(interval at_largest) AS 'interval ms',
         $(as %.0f 'occupancy * 100') AS 'occupancy %'
  FROM at_largest ORDER BY time_s LIMIT 10"

table "With tiles of 16x16 and without (item 5)" "
  SELECT p.rows AS n, p.variant AS published, $(ms p.time_s) AS 'published ms',
         o.name AS ours, $(ms o.time_s) AS 'ours ms', $(interval o) AS 'interval ms'
  FROM published_separable_convolution_tiled_vs_nontiled p
  LEFT JOIN (SELECT 'tiled' AS kernel, name, n, time_s, low_s, high_s FROM tiled_16
               WHERE policy = 'default' AND dtype = 'float'
             UNION ALL SELECT 'non_tiled', name, n, time_s, low_s, high_s FROM nontiled
               WHERE policy = 'default' AND dtype = 'float' AND variant = 'padded') o
    ON o.n = p.rows AND o.kernel = p.variant ORDER BY p.rows, p.variant"

table "Float and double (item 7): published, and tiles of 16x16 and 16x128 in the column pass" "
  SELECT p.rows AS n, p.data_type AS dtype, $(ms p.time_s) AS 'published ms', p.status,
         $(ms a.time_s) AS '16x16 ms', $(interval a) AS 'interval ms',
         $(ms t.time_s) AS '16x128 ms', $(interval t) AS 'interval ms '
  FROM published_separable_convolution_float_double p
  LEFT JOIN tiled_16 a ON a.n = p.rows AND a.dtype = p.data_type AND a.policy = 'default'
  LEFT JOIN tiled_tall t ON t.n = p.rows AND t.dtype = p.data_type AND t.policy = 'default'
  ORDER BY p.rows, p.data_type DESC"

table "Reads per pixel, computed from the tile along the filter (T): global (T + 32) / T, shared and constant 33 each" "
  WITH tiles(pass, T) AS (
    SELECT DISTINCT 'row', w1 FROM settings UNION SELECT DISTINCT 'column', h2 FROM settings)
  SELECT pass, T AS tile, printf('%.3g', (T + 32.0) / T) AS 'global reads',
         printf('%.1f', 66.0 * T / (T + 32)) AS 'shared and constant over global',
         CASE WHEN pass = 'row' AND T = 16 THEN '3, 22 times'
              WHEN pass = 'column' AND T = 128 THEN '1.25, 52 times' END AS published
  FROM tiles ORDER BY pass DESC, T"

table "Times the image is read and written in global memory, both passes: computed, and by the counters" "
  SELECT o.name AS variant, o.block_x || 'x' || o.block_y AS block, o.w1 || 'x' || o.h1 AS 'tile 1',
         o.w2 || 'x' || o.h2 AS 'tile 2', o.n,
         CASE o.variant WHEN 'tiled' THEN printf('%.3g', (o.w1 + 32.0) / o.w1 + (o.h2 + 32.0) / o.h2)
                        WHEN 'fused' THEN 'about 1.25' END AS 'reads, computed',
         $(as %.3g 'o.global_load_sectors * 32.0 / (o.bytes / 2)') AS 'reads, measured',
         $(as %.3g 'o.global_store_sectors * 32.0 / (o.bytes / 2)') AS 'writes, measured'
  FROM timed o WHERE o.global_load_sectors IS NOT NULL AND o.policy = 'default'
  ORDER BY o.dtype DESC, o.global_load_sectors DESC"

for dtype in float double; do
  table "All variants, radius 16, $dtype, best tunables" "
    SELECT n, name AS variant, $(ms time_s) AS ms, $(interval best) AS 'interval ms',
           $(as %.4g gbytes) AS 'GB/s', $(as %.1f roof_percent) AS '% of roof',
           $(as %.4g speedup) AS speedup, $(between %.4g speedup_low speedup_high) AS interval
    FROM best WHERE dtype = '$dtype' ORDER BY n, on_gpu, time_s DESC"
done

table "Against the radius, default tunables, GB/s of the image read once and written once" "
  SELECT dtype, n, name AS variant, $(as %.4g 'max(CASE radius WHEN 1 THEN gbytes END)') AS 'radius 1',
         $(as %.4g 'max(CASE radius WHEN 2 THEN gbytes END)') AS '2',
         $(as %.4g 'max(CASE radius WHEN 4 THEN gbytes END)') AS '4',
         $(as %.4g 'max(CASE radius WHEN 8 THEN gbytes END)') AS '8',
         $(as %.4g 'max(CASE radius WHEN 16 THEN gbytes END)') AS '16',
         $(as %.4g 'max(CASE radius WHEN 32 THEN gbytes END)') AS '32',
         $(as %.4g 'max(CASE radius WHEN 64 THEN gbytes END)') AS '64',
         $(as %.1f 'max(CASE radius WHEN 1 THEN roof_percent END)') AS '% of roof at 1'
  FROM by_radius GROUP BY dtype, n, name
  ORDER BY dtype DESC, n, sum(gbytes)"
