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

table "Float, by arithmetic: bf16x6 and fp16x3 err as little as a float loop once 16 products are added up; tf32 does not" "
  SELECT n, backend || '/' || variant AS variant, arithmetic, printf('%.4g', median_s * 1e3) AS ms,
         printf('%.4g', tflops) AS 'Tflop/s',
         printf('%.2f x', (SELECT median_s FROM square c WHERE c.n = s.n AND c.dtype = 'float'
                             AND c.backend = 'blas' AND c.variant = 'cublas') / median_s)
           AS 'cuBLAS float'
  FROM square s WHERE dtype = 'float' ORDER BY n, tflops"

table "Odd and rectangular sizes" "
  SELECT m, k, n, kind, backend || '/' || variant AS variant,
         printf('%.4g', median_s * 1e3) AS ms, printf('%.4g', tflops) AS 'Tflop/s',
         $(as %.1f peer_percent) AS '% of library'
  FROM compared WHERE NOT (m = n AND k = n AND n % 1024 = 0) ORDER BY kind, m, k, n, tflops"
