#!/bin/bash
# Scaling, the links, and from which size other GPUs pay: tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

heading several-gpus
echo "times are from the moment when all GPUs may start until the last is done; interval: 95 % of our"
echo "median, and of the ratio; apart: from the first GPU that was done to the last; in transfers: of a GPU,"
echo "which may compute meanwhile; -: no record here, or it does not tell"

strong_columns="name, size, gpus, printf('%.4g', median_s * 1e6) AS us,
         $(between %.4g 'low_s * 1e6' 'high_s * 1e6') AS 'interval us',
         printf('%.2f', gained) AS 'x one GPU', $(between %.2f gained_low gained_high) AS 'interval ',
         printf('%.1f', efficiency) AS 'efficiency %', $(as %.1f moving_percent) AS 'in transfers %',
         $(as %.1f 'apart_s * 1e6') AS 'apart us', $(as %.1f roof_percent) AS '% of roof'"

table "Strong scaling: the same problem on more GPUs, caches hot" "
  SELECT $strong_columns FROM strong ORDER BY name, side, gpus"

table "The same, caches cold" "
  SELECT $strong_columns FROM cold ORDER BY name, side, gpus"

table "From which size other GPUs pay: faster than the same variant on one by more than the interval, where
there is one, leaves open, there and at all larger sizes (-: at none here); and the least that a team
is of the speed of one GPU" "
  SELECT name, gpus, from_side AS 'from size', $(as %.4g 'from_bytes / 1048576.0') AS 'MiB',
         printf('%.2f', least_gained) AS 'least x one GPU'
  FROM pays ORDER BY name, gpus"

table "Against the fastest that one GPU has for the same problem, hot" "
  SELECT name, size, gpus, printf('%.4g', median_s * 1e6) AS us, alone AS 'on one GPU',
         printf('%.4g', alone_s * 1e6) AS 'its us', printf('%.2f', over_alone) AS 'times as fast',
         $(between %.2f over_alone_low over_alone_high) AS interval
  FROM against_alone ORDER BY name, side, gpus"

table "Targets for a team, and what it reaches (open: the samples do not tell)" "
  SELECT name, side, gpus, $(as %.2f wanted) AS 'x one GPU wanted', $(as %.3f gained) AS measured,
         $(between %.3f gained_low gained_high) AS interval, outcome
  FROM targets WHERE gained IS NOT NULL ORDER BY name, side, gpus"

table "Weak scaling: 8192 rows for each GPU, caches hot" "
  SELECT name, gpus, size, printf('%.4g', median_s * 1e6) AS us, printf('%.1f', efficiency) AS 'efficiency %',
         $(between %.1f efficiency_low efficiency_high) AS interval, $(as %.1f 'apart_s * 1e6') AS 'apart us'
  FROM weak ORDER BY name, gpus"

table "The links between the GPUs, GB/s: a copy of 1 GiB, and an all-reduce of 1 GiB" "
  SELECT gpu, substr(gpu_uuid, 5, 8) AS UUID,
         $(as %.1f 'one_way / 1e9') AS 'one way', $(as %.1f 'both_ways / 1e9') AS 'both ways',
         $(as %.1f 'over_2 / 1e9') AS 'all-reduce over 2', $(as %.1f 'over_4 / 1e9') AS 'over 4',
         $(as %.1f 'over_8 / 1e9') AS 'over 8'
  FROM links"
