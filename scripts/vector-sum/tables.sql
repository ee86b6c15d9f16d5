-- The tables of the report, published values beside ours.

-- note: Sum of n elements, int, caches hot. Ours: times of a whole sum, all its launches and the copy the
-- in-place kernels need, with their 95 % intervals. Published: as printed, very probably the mean of the
-- launches of a sum, as its counters are; "x launches" is then the time of a whole sum. The later launches
-- of the report had up to 1024 threads per block, ours have the block size of the first. Sectors (32 bytes, of
-- a whole sum), measured occupancy (of the longest launch) and uniform branches (where all threads of a warp
-- go the same way, beside the published branch efficiency) are the profiler's: `make counters`.

-- table: Sequential
SELECT p.n, p.time_ms / 1e3 AS 'published [s]', o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high,
       p.time_ms / 1e3 / o.time_s AS 'faster [x]'
FROM published_vector_sum_sequential p LEFT JOIN sequential o USING (n) ORDER BY p.n;

-- table: Times by launch shape
SELECT p.n, p.method, p.block, p.grid_blocks AS blocks, p.printed_s AS 'published [s]',
       p.launches AS 'its launches', p.whole_s AS 'x launches [s]',
       o.median_s AS 'ours [s]', o.low_s AS low, o.high_s AS high, o.launches,
       o.mflops * 1e6 AS 'rate [flop/s]', o.occupancy AS 'occupancy [1]',
       c.theoretical_occupancy_percent / 100.0 AS 'published [1]',
       c.measured_occupancy_percent / 100.0 AS 'measured [1]',
       o.achieved_occupancy AS 'ours measured [1]'
FROM published p LEFT JOIN launches_of o USING (n, method, block)
     LEFT JOIN published_vector_sum_occupancy c ON c.n = p.n AND c.method = p.method AND c.block_size = p.block
ORDER BY p.method DESC, p.n, p.block;

-- table: Means over the four block sizes
SELECT p.n, p.method, p.printed_s AS 'published [s]', p.whole_s AS 'whole sum [s]', o.time_s AS 'ours [s]',
       f.mflops * 1e6 AS 'published [flop/s]', (p.n - 1) / o.time_s AS 'ours [flop/s]',
       s.speedup AS 'published speedup [x]', q.time_ms / 1e3 / p.whole_s AS 'of a whole sum [x]',
       t.time_s / o.time_s AS 'ours [x]'
FROM published_means p LEFT JOIN means o USING (n, method)
     JOIN published_vector_sum_mean_mflops f USING (n, method) JOIN published_vector_sum_speedup s USING (n, method)
     JOIN published_vector_sum_sequential q USING (n) LEFT JOIN sequential t USING (n)
ORDER BY p.method DESC, p.n;

-- table: Additions and accesses to global memory of a whole sum (counted, without the copy)
SELECT a.n, a.method, a.block, a.launches, a.operations, a.reads, a.writes,
       1.0 * a.operations / (a.reads + a.writes) AS CGMA,
       CASE a.method WHEN 'RW' THEN 0.333 ELSE 0.667 END AS published,
       p.loads AS 'published reads', p.stores AS writes,
       p.accesses_per_transaction AS 'accesses per transaction',
       CAST(o.global_load_sectors AS INT) AS 'our read sectors',
       CAST(o.global_store_sectors AS INT) AS 'written sectors',
       1.0 * (a.reads + a.writes) / (o.global_load_sectors + o.global_store_sectors) AS 'accesses per sector',
       o.branch_uniformity AS 'uniform branches [1]', '99-100%' AS published
FROM accesses a JOIN published_vector_sum_transactions p
     ON p.n = a.n AND p.method = a.method AND p.block_size = a.block
     LEFT JOIN launches_of o ON o.n = a.n AND o.method = a.method AND o.block = a.block
ORDER BY a.method DESC, a.n, a.block;

-- table: The ladder, best block size
SELECT b.dtype, b.n, name AS variant, block, launches, time_s AS 'time [s]', low_s AS low, high_s AS high,
       gbytes_per_s * 1e9 AS 'rate [B/s]', roof_percent / 100.0 AS 'of roof [1]',
       cub.us / time_s AS 'CUB over this [x]'
FROM best b LEFT JOIN (SELECT n, dtype, time_s AS us FROM best WHERE name = 'blas/cub') cub
     ON cub.n = b.n AND cub.dtype = b.dtype
WHERE b.dtype IN ('float', 'double') AND on_gpu ORDER BY b.dtype DESC, b.n, time_s DESC;

-- table: CPU
SELECT n, dtype, name AS variant, threads, time_s AS 'time [s]', gbytes_per_s * 1e9 AS 'rate [B/s]',
       roof_percent / 100.0 AS 'of roof [1]'
FROM best WHERE NOT on_gpu ORDER BY dtype, n, time_s DESC;
