#!/bin/bash
# The ladders by type, odd sizes, and what may stand in for float: tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

heading tensor-matmul
echo "C = A B on tensor cores, caches hot, ms of one execution; interval: 95 % of our median; -: no record here"

table "What each rung bought: times as fast as the rung before; library: the best of cuBLAS and cuBLASLt" "
  SELECT kind, n, variant, printf('%.4g', median_s * 1e3) AS ms,
         $(between %.4g 'low_s * 1e3' 'high_s * 1e3') AS 'interval ms',
         printf('%.4g', tflops) AS 'Tflop/s', $(as %.2f gained) AS 'x rung before',
         $(as %.1f peer_percent) AS '% of library', $(as %.1f roof_percent) AS '% of roof'
  FROM rungs ORDER BY kind, n, place"

table "What may stand in for float: largest errors, in units of the bound of float and of the element's own rounding; it may err at most twice as much as a loop in float or cuBLAS" "
  SELECT n, name AS variant, arithmetic, printf('%.4g', tflops) AS 'Tflop/s',
         $(as '%.2f x' "tflops / (SELECT tflops FROM accuracy c WHERE c.n = s.n AND c.name = 'blas/cublas')")
           AS 'cuBLAS float',
         $(as %.3g uniform) AS 'uniform, of bound', $(as %.3g wide) AS 'wide, of bound',
         $(as %.3g uniform_of_rounding) AS 'uniform, roundings',
         $(as %.3g wide_of_rounding) AS 'wide, roundings',
         $(as '%.2f x' times_float) AS 'error of float',
         CASE WHEN times_float <= 2 THEN 'yes' ELSE 'no' END AS 'stands in'
  FROM stands_in s ORDER BY n, tflops"

table "Odd and rectangular sizes" "
  SELECT m, k, n, kind, backend || '/' || variant AS variant,
         printf('%.4g', median_s * 1e3) AS ms, printf('%.4g', tflops) AS 'Tflop/s',
         $(as %.1f peer_percent) AS '% of library'
  FROM compared WHERE NOT (m = n AND k = n AND n % 1024 = 0) ORDER BY kind, m, k, n, tflops"
