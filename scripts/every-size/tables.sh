#!/bin/bash
# Where the last rungs fall behind the libraries, and behind the roof: tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

heading every-size
echo "Our fastest variant of those measured, and the fastest library on the same device, caches hot;"
echo "interval: 95 % of the ratio; kind: the dtype, and the arithmetic where it is another; -: no record here"

columns="workload, kind, size, name AS ours, peer AS library, printf('%.4g', time_s * 1e6) AS us,
         $(as %.2f times) AS 'x library', $(between %.2f times_low times_high) AS interval,
         $(as %.1f roof_percent) AS '% of roof', $(as %.1f peer_percent) AS 'library %'"

table "The three sizes and shapes of each that are slowest against the library" "
  SELECT $columns FROM worst WHERE place <= 3 ORDER BY workload, dtype DESC, kind, place"

table "How often: faster and slower by more than the interval leaves open, of all sizes and shapes" "
  SELECT workload, kind, count(*) AS sizes, sum(times_low > 1) AS faster, sum(times_high < 1) AS slower,
         printf('%.2f', min(times)) AS least, printf('%.2f', max(times)) AS most
  FROM compared WHERE times IS NOT NULL GROUP BY workload, kind ORDER BY workload, dtype DESC, kind"

table "The three of each that are farthest from the roof, of 256 MiB and more" "
  SELECT $columns FROM (
    SELECT *, row_number() OVER (PARTITION BY workload, kind ORDER BY roof_percent) AS row
    FROM compared WHERE bytes >= 256 << 20 AND roof_percent IS NOT NULL)
  WHERE row <= 3 ORDER BY workload, dtype DESC, kind, row"

table "All sizes and shapes" "
  SELECT $columns FROM compared ORDER BY workload, dtype DESC, kind, high * across, high"
