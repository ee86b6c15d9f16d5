-- The report's tables, published values beside ours, and what follows from them.

-- note: A filter of radius 16 along the rows and the columns of an n x n image, caches hot, times of one
-- execution of both passes with their 95 % intervals. The report's card was a GeForce GTX 480. cg: loads past
-- the L1 cache; cs, wt: loads and stores that expect no second use. Its flags (ptxas -dlcm, -dscm) said so for
-- a whole program; today these are hints for single accesses. Neither then nor now does any of them switch the
-- L2 cache off. There is no blas backend: no vendor library of the toolkit computes this on plain arrays.

-- table: Cache policies, without tiles, cuda/padded (item 1), and with tiles of 16x16 (item 6)
SELECT p.kernel, p.n, p.policy, p.time_s AS 'published [s]',
       o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high,
       p.time_s / d.time_s AS 'published over default [x]', o.time_s / e.time_s AS 'ours over default [x]'
FROM published_policies p
JOIN published_policies d ON d.kernel = p.kernel AND d.n = p.n AND d.policy = 'default'
LEFT JOIN policies o ON o.kernel = p.kernel AND o.n = p.n AND o.policy = p.policy
LEFT JOIN policies e ON e.kernel = p.kernel AND e.n = p.n AND e.policy = 'default'
WHERE p.kernel IN ('nontiled', 'tiled') ORDER BY p.kernel, p.n, p.policy;

-- table: Tile sizes (item 4): block, tile of the row pass, tile of the column pass; ours at the largest n
SELECT s.block_shape AS block, s.tiles, published_s AS 'published [s]', o.n,
       o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high,
       o.shared_bytes AS 'shared bytes of kernel 2', o.registers, o.occupancy AS 'occupancy [1]'
FROM settings s LEFT JOIN at_largest o ON o.block_shape = s.block_shape AND o.tiles = s.tiles
ORDER BY s.place;

-- table: Tile sizes: the best of all that were measured
SELECT block_shape AS block, tiles, n, time_s AS 'ours [s]', low_s AS low, high_s AS high,
       occupancy AS 'occupancy [1]'
FROM at_largest ORDER BY time_s LIMIT 10;

-- table: With tiles of 16x16 and without (item 5)
SELECT p.rows AS n, p.variant AS published, p.time_s AS 'published [s]', o.name AS ours,
       o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high
FROM published_separable_convolution_tiled_vs_nontiled p
LEFT JOIN (SELECT 'tiled' AS kernel, name, n, time_s, low_s, high_s FROM tiled_16
             WHERE policy = 'default' AND dtype = 'float'
           UNION ALL SELECT 'non_tiled', name, n, time_s, low_s, high_s FROM nontiled
             WHERE policy = 'default' AND dtype = 'float' AND variant = 'padded') o
  ON o.n = p.rows AND o.kernel = p.variant ORDER BY p.rows, p.variant;

-- table: Float and double (item 7): published, and tiles of 16x16 and 16x128 in the column pass
SELECT p.rows AS n, p.data_type AS dtype, p.time_s AS 'published [s]', p.status,
       a.time_s AS '16x16 [s]', a.low_s AS low, a.high_s AS high,
       t.time_s AS '16x128 [s]', t.low_s AS low, t.high_s AS high
FROM published_separable_convolution_float_double p
LEFT JOIN tiled_16 a ON a.n = p.rows AND a.dtype = p.data_type AND a.policy = 'default'
LEFT JOIN tiled_tall t ON t.n = p.rows AND t.dtype = p.data_type AND t.policy = 'default'
ORDER BY p.rows, p.data_type DESC;

-- table: Reads per pixel, computed from the tile along the filter (T): global (T + 32) / T, shared and constant 33 each
WITH tiles(pass, T) AS (
  SELECT DISTINCT 'row', w1 FROM settings UNION SELECT DISTINCT 'column', h2 FROM settings)
SELECT pass, T AS tile, (T + 32.0) / T AS 'global reads',
       66.0 * T / (T + 32) AS 'shared and constant over global [x]',
       CASE WHEN pass = 'row' AND T = 16 THEN '3, 22 times'
            WHEN pass = 'column' AND T = 128 THEN '1.25, 52 times' END AS published
FROM tiles ORDER BY pass DESC, T;

-- table: Times the image is read and written in global memory, both passes: computed, and by the counters
SELECT o.name AS variant, o.block_x || 'x' || o.block_y AS block, o.w1 || 'x' || o.h1 AS 'tile 1',
       o.w2 || 'x' || o.h2 AS 'tile 2', o.n,
       CASE o.variant WHEN 'tiled' THEN (o.w1 + 32.0) / o.w1 + (o.h2 + 32.0) / o.h2
                      WHEN 'fused' THEN 1.25 END AS 'reads, computed',
       o.global_load_sectors * 32.0 / (o.bytes / 2) AS 'reads, measured',
       o.global_store_sectors * 32.0 / (o.bytes / 2) AS 'writes, measured'
FROM timed o WHERE o.global_load_sectors IS NOT NULL AND o.policy = 'default'
ORDER BY o.dtype DESC, o.global_load_sectors DESC;

-- table: All variants, radius 16, best tunables
SELECT dtype, n, name AS variant, time_s AS 'time [s]', low_s AS low, high_s AS high,
       gbytes * 1e9 AS 'rate [B/s]', roof_percent / 100.0 AS 'of roof [1]',
       speedup AS 'speedup [x]', speedup_low AS low, speedup_high AS high
FROM best WHERE dtype IN ('float', 'double') ORDER BY dtype DESC, n, on_gpu, time_s DESC;

-- table: Against the radius, default tunables: rates of the image read once and written once
SELECT dtype, n, name AS variant, max(CASE radius WHEN 1 THEN gbytes END) * 1e9 AS 'radius 1 [B/s]',
       max(CASE radius WHEN 2 THEN gbytes END) * 1e9 AS '2 [B/s]',
       max(CASE radius WHEN 4 THEN gbytes END) * 1e9 AS '4 [B/s]',
       max(CASE radius WHEN 8 THEN gbytes END) * 1e9 AS '8 [B/s]',
       max(CASE radius WHEN 16 THEN gbytes END) * 1e9 AS '16 [B/s]',
       max(CASE radius WHEN 32 THEN gbytes END) * 1e9 AS '32 [B/s]',
       max(CASE radius WHEN 64 THEN gbytes END) * 1e9 AS '64 [B/s]',
       max(CASE radius WHEN 1 THEN roof_percent END) / 100.0 AS 'of roof at 1 [1]'
FROM by_radius GROUP BY dtype, n, name ORDER BY dtype DESC, n, sum(gbytes);
