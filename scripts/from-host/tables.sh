#!/bin/bash
# The ways of the data side by side, and from which size each pays: tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

heading from-host
echo "ms from host memory and back to it: copies of pageable and of pinned memory before and after the"
echo "kernel, and under it; alone: the kernel without copies; over kernel or copies: overlapped, over the"
echo "longest of kernel, copy to and copy from, below 1 where copies were slower when measured alone; % of"
echo "roof: the link's, or that of the work; -: no record here"

table "The ways side by side, caches hot" "
  SELECT name, $(as %.4g 'bytes / 1048576.0') AS MiB, kernel AS 'fastest kernel', $(as %.4g 'kernel_s * 1e3') AS alone,
         $(as %.4g 'pageable_s * 1e3') AS pageable, $(as %.4g 'pinned_s * 1e3') AS pinned,
         $(as %.4g 'overlapped_s * 1e3') AS overlapped, $(as %.1f roof_percent) AS '% of roof',
         $(as %.2f over_larger) AS 'over kernel or copies', $(as %.4g 'cpu_s * 1e3') AS 'best CPU', tunables
  FROM ways ORDER BY name, bytes"

table "From how many MiB on each way is faster than the CPU, there and at all larger sizes (-: at none here)" "
  SELECT name, $(as %.4g 'pageable_bytes / 1048576.0') AS pageable,
         $(as %.4g 'pinned_bytes / 1048576.0') AS pinned,
         $(as %.4g 'overlapped_bytes / 1048576.0') AS overlapped
  FROM pays ORDER BY name"
