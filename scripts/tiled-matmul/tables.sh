#!/bin/bash
# The table of the report, published values beside ours, and the ladder: tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

heading tiled-matmul
echo "C = A B, n x n, caches hot, ms of one execution; interval: 95 % of our median; -: no record here"

table "Table 1: the report's two kernels, int (ours: the fastest tile width and granularity)" "
  SELECT p.n, p.name AS kernel,
         printf('%.6g', p.time_s * 1e3) AS 'published ms',
         printf('%.4g', o.time_s * 1e3) AS 'ours ms',
         $(between %.4g 'o.low_s * 1e3' 'o.high_s * 1e3') AS 'interval ms',
         o.tile, o.granularity,
         printf('%.0f', p.gflops) AS 'published Gop/s', printf('%.0f', o.gflops) AS 'ours Gop/s',
         printf('%.1f x', p.time_s / o.time_s) AS faster
  FROM published p JOIN best_of_all o ON o.n = p.n AND o.name = p.name AND o.dtype = 'int'
  ORDER BY p.n, p.name DESC"

table "Granularity 2 against one tile: times as fast (published: 1.19 at 1000, 1.46 at 2000)" "
  SELECT n, tile, printf('%.2f', max(CASE granularity WHEN 1 THEN speedup END)) AS 'granularity 1',
         printf('%.2f', max(CASE granularity WHEN 2 THEN speedup END)) AS '2',
         printf('%.2f', max(CASE granularity WHEN 4 THEN speedup END)) AS '4'
  FROM granularity WHERE dtype = 'int' GROUP BY n, tile ORDER BY n, tile"

table "The ladder, float, best tunables (arithmetic: ieee, or what the operands are rounded to)" "
  SELECT n, name AS variant, arithmetic, printf('%.4g', time_s * 1e3) AS ms,
         $(between %.4g 'low_s * 1e3' 'high_s * 1e3') AS 'interval ms',
         printf('%.4g', gflops / 1e3) AS 'Tflop/s', printf('%.1f', cublas_percent) AS '% of cuBLAS',
         printf('%.1f', roof_percent) AS '% of roof'
  FROM ladder ORDER BY n, gflops"

table "Double, on tensor cores (cuda/tensor, cuda/tensor_bulk, cuBLAS) and without; the roof is that of the units used" "
  SELECT b.n, b.name AS variant, printf('%.4g', b.time_s * 1e3) AS ms,
         $(between %.4g 'b.low_s * 1e3' 'b.high_s * 1e3') AS 'interval ms',
         printf('%.4g', b.gflops / 1e3) AS 'Tflop/s',
         printf('%.1f', 100 * c.time_s / b.time_s) AS '% of cuBLAS',
         printf('%.1f', b.roof_percent) AS '% of roof'
  FROM best_of_all b LEFT JOIN best_of_all c
    ON c.n = b.n AND c.dtype = b.dtype AND c.name = 'blas/cublas'
  WHERE b.dtype = 'double' AND b.on_gpu ORDER BY b.n, b.gflops"

table "The CPU, and the GPU in reduced precision, float" "
  SELECT n, dtype, name AS variant, threads, printf('%.4g', time_s * 1e3) AS ms,
         printf('%.4g', gflops / 1e3) AS 'Tflop/s', printf('%.1f', roof_percent) AS '% of roof'
  FROM best_of_all WHERE dtype = 'float' AND (NOT on_gpu OR name = 'blas/cublas_tf32')
  ORDER BY n, gflops"
