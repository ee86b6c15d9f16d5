-- The table of the report, published values beside ours, and what follows.

-- note: Covariance of n variables, n observations each, caches hot, times of one execution with their 95 %
-- intervals; roof: the time the multiply-adds of one triangle need at the measured rate, or its data at the
-- measured bandwidth; peak: that rate of multiply-adds, without tensor cores. cuBLAS and cuda/tensor use
-- tensor cores for double; their roof is that of these cores, and they may pass the peak.

-- table: The report's table, double: times (ours: serial/plain; its kernel as it was meant is cuda/tiled, best tile)
SELECT p.n, p.variant AS published, p.time_s AS 'published [s]', o.name AS ours,
       o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high, o.tile,
       p.time_s / o.time_s AS 'faster [x]'
FROM published p LEFT JOIN best o ON o.n = p.n AND o.name = p.name AND o.dtype = 'double'
ORDER BY p.n, p.variant DESC;

-- table: The report's table, double: speedup over serial, and our substitute for its undefined utilization
SELECT p.n, p.published_speedup AS 'published [x]', p.utilization / 100.0 AS 'published utilization [1]',
       o.name AS ours, speedup AS 'speedup [x]', speedup_low AS low, speedup_high AS high,
       CASE WHEN on_gpu THEN speedup_transfers END AS 'with copies [x]',
       speedup_transfers_low AS low, speedup_transfers_high AS high,
       roof_percent / 100.0 AS 'of roof [1]', peak_percent / 100.0 AS 'of peak [1]'
FROM published p LEFT JOIN
     (SELECT * FROM ladder WHERE dtype = 'double' AND name IN ('cuda/tiled', 'cuda/register', 'cuda/balanced', 'cuda/tensor', 'cuda/tensor_bulk')) o ON o.n = p.n
WHERE p.variant = 'cuda' ORDER BY p.n, o.time_s DESC;

-- table: Tiles of 8, 16 and 32, double: times, and speedup over serial/plain (P9: 8 and 32 worse than 16, but still very large)
SELECT n, variant AS kernel, max(CASE tile WHEN 8 THEN median_s END) AS '8 [s]',
       max(CASE tile WHEN 16 THEN median_s END) AS '16 [s]',
       max(CASE tile WHEN 32 THEN median_s END) AS '32 [s]',
       max(CASE tile WHEN 8 THEN speedup END) AS '8 over serial [x]',
       max(CASE tile WHEN 16 THEN speedup END) AS '16 over serial [x]',
       max(CASE tile WHEN 32 THEN speedup END) AS '32 over serial [x]'
FROM tiles GROUP BY n, variant ORDER BY n, max(median_s) DESC;

-- table: The packed upper triangle compared with both triangles (cuda/packed, cuda/mirror), best tiles
SELECT dtype, n, mirror_s AS 'mirror [s]', mirror_tile AS tile, packed_s AS 'packed [s]',
       packed_tile AS tile, times AS 'packed faster [x]', times_low AS low, times_high AS high,
       CASE WHEN times_low > 1 THEN 'packed' WHEN times_high < 1 THEN 'mirror' ELSE 'tie' END AS winner,
       moved_times AS 'with copies [x]'
FROM packed ORDER BY dtype, n;

-- table: All variants, best tunables; times: as fast as syrk of the same device's library
SELECT dtype, n, name AS variant, tile, time_s AS 'time [s]', low_s AS low, high_s AS high,
       gflops * 1e9 AS 'rate [flop/s]', roof_percent / 100.0 AS 'of roof [1]',
       peak_percent / 100.0 AS 'of peak [1]', times AS 'times [x]', times_low AS low, times_high AS high,
       speedup AS 'speedup [x]', speedup_low AS low, speedup_high AS high,
       CASE WHEN on_gpu THEN speedup_transfers END AS 'with copies [x]',
       speedup_transfers_low AS low, speedup_transfers_high AS high
FROM ladder WHERE dtype IN ('double', 'float') ORDER BY dtype, n, on_gpu, time_s DESC;

-- table: The printed experiment, double: sums divided by 3214212.01 and not by n; the time must be the same
SELECT p.n, p.name AS variant, p.tile, p.time_s AS 'printed [s]', p.low_s AS low, p.high_s AS high,
       o.time_s AS 'right [s]', o.low_s AS low, o.high_s AS high
FROM polybench p LEFT JOIN (SELECT *, min(median_s) AS time_s FROM timed GROUP BY name, dtype, n, tile) o
     ON o.n = p.n AND o.name = p.name AND o.dtype = p.dtype AND o.tile IS p.tile
ORDER BY p.n, p.name;

-- table: Variants without a time, and why
SELECT n, name AS variant, dtype, tile, verdict FROM every WHERE verdict <> 'passed'
ORDER BY name, dtype, n;
