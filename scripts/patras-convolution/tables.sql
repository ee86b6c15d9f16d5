-- The table of the report, published values beside ours, the ladder and the occupancy argument.

-- note: 3x3 convolution of an n x n image, caches hot, times of one execution with their 95 % intervals; roof:
-- the time of reading a and writing the interior of b once, at the measured rate of copying. There is no blas
-- backend: no vendor library of the toolkit computes this on plain arrays.

-- table: The report's table, double: times (ours: serial/plain; its kernel is cuda/naive, best block)
SELECT p.n, p.variant AS published, p.time_s AS 'published [s]', o.name AS ours,
       o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high,
       CASE WHEN o.backend = 'cuda' THEN o.block_x || 'x' || o.block_y END AS block,
       p.time_s / o.time_s AS 'faster [x]'
FROM published p LEFT JOIN best o ON o.n = p.n AND o.name = p.name AND o.dtype = p.dtype
ORDER BY p.n, p.variant DESC;

-- table: The report's table, double: speedup over serial, and the share of the roof in place of its undefined utilization
SELECT p.n, p.published_speedup AS 'published [x]', p.utilization / 100.0 AS 'published utilization [1]',
       o.name AS ours, speedup AS 'speedup [x]', speedup_low AS low, speedup_high AS high,
       CASE WHEN on_gpu THEN speedup_transfers END AS 'with copies [x]',
       speedup_transfers_low AS low, speedup_transfers_high AS high, roof_percent / 100.0 AS 'of roof [1]'
FROM published p LEFT JOIN (SELECT * FROM best WHERE on_gpu AND dtype = 'double') o ON o.n = p.n
     AND (o.name = p.name OR o.time_s = (SELECT min(time_s) FROM best WHERE on_gpu AND dtype = 'double' AND n = p.n))
WHERE p.variant = 'cuda' ORDER BY p.n, o.time_s DESC;

-- table: The report's kernel by block
SELECT dtype, n, max(CASE block_x WHEN 8 THEN median_s END) AS '8x8 [s]',
       max(CASE block_x WHEN 16 THEN median_s END) AS '16x16 [s]',
       max(CASE block_x WHEN 32 THEN median_s END) AS '32x32 [s]'
FROM blocks WHERE n >= 4096 GROUP BY dtype, n ORDER BY dtype, n;

-- table: The occupancy argument: blocks and warps of the report's kernel (double) on a multiprocessor, by its limits
SELECT device, counted AS 'registers counted', registers, edge || 'x' || edge AS block,
       by_registers AS 'blocks by registers', by_warps AS 'by warps', most_blocks AS 'at most',
       resident AS blocks, resident * block_warps AS warps,
       1.0 * resident * block_warps / most_warps AS 'occupancy [1]'
FROM occupancy_argument ORDER BY device DESC, counted DESC, edge;

-- table: The same as the driver of this machine computes it, for all kernels at their best tunables; 8192
SELECT dtype, name AS kernel, registers, spill_bytes AS 'spilled bytes',
       block_x || 'x' || block_y AS block, shared_bytes AS 'shared bytes',
       CAST(active_warps / (block_x * block_y / 32) AS INTEGER) AS blocks, active_warps AS warps,
       occupancy AS 'occupancy [1]', limited_by AS 'limited by'
FROM best WHERE on_gpu AND active_warps IS NOT NULL AND n = 8192 ORDER BY dtype, time_s DESC;

-- table: All variants, best tunables
SELECT dtype, n, name AS variant, time_s AS 'time [s]', low_s AS low, high_s AS high,
       gbytes_per_s * 1e9 AS 'rate [B/s]', roof_percent / 100.0 AS 'of roof [1]',
       speedup AS 'speedup [x]', speedup_low AS low, speedup_high AS high,
       CASE WHEN on_gpu THEN speedup_transfers END AS 'with copies [x]',
       speedup_transfers_low AS low, speedup_transfers_high AS high
FROM best WHERE dtype IN ('double', 'float') ORDER BY dtype, n, on_gpu, time_s DESC;

-- table: Cold caches against hot, double, at the defaults
SELECT c.n, c.name AS variant, c.median_s AS 'cold [s]', c.low_s AS low, c.high_s AS high,
       min(h.median_s) AS 'hot [s]', c.roof_percent / 100.0 AS 'of roof, cold [1]'
FROM every c LEFT JOIN timed h ON h.n = c.n AND h.name = c.name AND h.dtype = c.dtype
WHERE c.cache = 'cold' GROUP BY c.n, c.name ORDER BY c.n, c.median_s DESC;
