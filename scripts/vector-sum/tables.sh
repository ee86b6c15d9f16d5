#!/bin/bash
# The tables of the report, published values beside ours: tables.sh DATABASE
set -euo pipefail
# shellcheck source=scripts/figures/tables.sh
source scripts/figures/tables.sh

heading vector-sum
cat <<'END'
Sum of n elements, int, caches hot. Ours: times of a whole sum, all its launches and the copy the
in-place kernels need. Published: as printed, very probably the mean of the launches of a sum, for
so are its counters; "x launches" is then the time of a whole sum. The later launches of the report
had up to 1024 threads per block, ours have the block size of the first. Sectors (32 bytes, of a whole
sum), measured occupancy (of the longest launch) and uniform branches (where all threads of a warp
go the same way, beside the published branch efficiency) are the profiler's: `make counters`. -: no
record here.
END

table "Sequential" "
  SELECT p.n, printf('%.4g', p.time_ms) AS 'published ms', printf('%.4g', o.time_s * 1e3) AS 'ours ms',
         $(between %.4g 'o.low_s * 1e3' 'o.high_s * 1e3') AS 'interval ms',
         printf('%.1f x', p.time_ms / 1e3 / o.time_s) AS faster
  FROM published_vector_sum_sequential p LEFT JOIN sequential o USING (n) ORDER BY p.n"

table "Times by launch shape" "
  SELECT p.n, p.method, p.block, p.grid_blocks AS blocks, printf('%.4g', p.printed_s * 1e6) AS 'published us',
         printf('%d: %.4g', p.launches, p.whole_s * 1e6) AS 'x launches',
         printf('%.4g', o.median_s * 1e6) AS 'ours us',
         $(between %.4g 'o.low_s * 1e6' 'o.high_s * 1e6') AS 'interval us', o.launches,
         printf('%.0f', o.mflops) AS MFLOPS, printf('%.0f', 100 * o.occupancy) AS 'occupancy %',
         c.theoretical_occupancy_percent AS 'published %',
         c.measured_occupancy_percent AS 'measured %',
         CAST(round(100 * o.achieved_occupancy) AS INT) AS 'ours measured %'
  FROM published p LEFT JOIN launches_of o USING (n, method, block)
       LEFT JOIN published_vector_sum_occupancy c ON c.n = p.n AND c.method = p.method AND c.block_size = p.block
  ORDER BY p.method DESC, p.n, p.block"

table "Means over the four block sizes" "
  SELECT p.n, p.method, printf('%.4g', p.printed_s * 1e6) AS 'published us',
         printf('%.4g', p.whole_s * 1e6) AS 'whole sum us', printf('%.4g', o.time_s * 1e6) AS 'ours us',
         f.mflops AS 'published MFLOPS', printf('%.0f', (p.n - 1) / o.time_s / 1e6) AS 'ours MFLOPS',
         s.speedup AS 'published speedup',
         printf('%.2f', q.time_ms / 1e3 / p.whole_s) AS 'of a whole sum',
         printf('%.2f', t.time_s / o.time_s) AS 'ours'
  FROM published_means p LEFT JOIN means o USING (n, method)
       JOIN published_vector_sum_mean_mflops f USING (n, method) JOIN published_vector_sum_speedup s USING (n, method)
       JOIN published_vector_sum_sequential q USING (n) LEFT JOIN sequential t USING (n)
  ORDER BY p.method DESC, p.n"

table "Additions and accesses to global memory of a whole sum (counted, without the copy)" "
  SELECT a.n, a.method, a.block, a.launches, a.operations, a.reads, a.writes,
         printf('%.3f', 1.0 * a.operations / (a.reads + a.writes)) AS CGMA,
         CASE a.method WHEN 'RW' THEN '0.333' ELSE '0.667' END AS published,
         p.loads AS 'published reads', p.stores AS 'writes ',
         p.accesses_per_transaction AS 'accesses per transaction',
         CAST(o.global_load_sectors AS INT) AS 'our read sectors',
         CAST(o.global_store_sectors AS INT) AS 'written sectors',
         round(1.0 * (a.reads + a.writes) / (o.global_load_sectors + o.global_store_sectors), 2)
           AS 'accesses per sector',
         CAST(round(100 * o.branch_uniformity) AS INT) AS 'uniform branches %',
         '99-100' AS 'published %'
  FROM accesses a JOIN published_vector_sum_transactions p
       ON p.n = a.n AND p.method = a.method AND p.block_size = a.block
       LEFT JOIN launches_of o ON o.n = a.n AND o.method = a.method AND o.block = a.block
  ORDER BY a.method DESC, a.n, a.block"

for dtype in float double; do
  table "The ladder in $dtype, best block size" "
    SELECT b.n, name AS variant, block, launches, printf('%.4g', time_s * 1e6) AS us,
           $(between %.4g 'low_s * 1e6' 'high_s * 1e6') AS 'interval us',
           printf('%.4g', gbytes_per_s) AS 'GB/s', printf('%.0f', roof_percent) AS '% of roof',
           printf('%.2f x', cub.us / time_s) AS 'CUB / this'
    FROM best b LEFT JOIN (SELECT n, dtype, time_s AS us FROM best WHERE name = 'blas/cub') cub
         ON cub.n = b.n AND cub.dtype = b.dtype
    WHERE b.dtype = '$dtype' AND on_gpu ORDER BY b.n, time_s DESC"
done

table "CPU" "
  SELECT n, dtype, name AS variant, threads, printf('%.4g', time_s * 1e6) AS us,
         printf('%.4g', gbytes_per_s) AS 'GB/s', printf('%.0f', roof_percent) AS '% of roof'
  FROM best WHERE NOT on_gpu ORDER BY dtype, n, time_s DESC"
