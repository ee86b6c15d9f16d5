-- The table of the report, published values beside ours, and what follows.

-- note: y = A^T (A x), A n x n, caches hot, times of one execution with their 95 % intervals; roof: the time of
-- reading A once at the measured rate; two gemv read it twice.

-- table: The report's table, double: times (ours: serial/plain; its kernel as it was meant is cuda/shared, best block)
SELECT p.n, p.variant AS published, p.time_s AS 'published [s]', o.name AS ours,
       o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high, o.block,
       p.time_s / o.time_s AS 'faster [x]'
FROM published p LEFT JOIN best o ON o.n = p.n AND o.name = p.name AND o.dtype = 'double'
ORDER BY p.n, p.variant DESC;

-- table: The report's table, double: speedup over serial, and our substitute for its undefined utilization
SELECT p.n, p.published_speedup AS 'published [x]', p.utilization / 100.0 AS 'published utilization [1]',
       o.name AS ours, speedup AS 'speedup [x]', speedup_low AS low, speedup_high AS high,
       CASE WHEN on_gpu THEN speedup_transfers END AS 'with copies [x]',
       speedup_transfers_low AS low, speedup_transfers_high AS high, roof_percent / 100.0 AS 'of roof [1]'
FROM published p LEFT JOIN
     (SELECT * FROM best WHERE dtype = 'double' AND name IN ('cuda/shared', 'cuda/fused', 'cuda/bulk')) o ON o.n = p.n
WHERE p.variant = 'cuda' ORDER BY p.n, o.time_s DESC;

-- table: Block sizes, double (P5: 128, 256 and 512 alike, below 32 worse)
SELECT variant AS kernel, n, max(CASE block WHEN 16 THEN median_s END) AS '16 [s]',
       max(CASE block WHEN 32 THEN median_s END) AS '32 [s]',
       max(CASE block WHEN 64 THEN median_s END) AS '64 [s]',
       max(CASE block WHEN 128 THEN median_s END) AS '128 [s]',
       max(CASE block WHEN 256 THEN median_s END) AS '256 [s]',
       max(CASE block WHEN 512 THEN median_s END) AS '512 [s]',
       max(CASE block WHEN 1024 THEN median_s END) AS '1024 [s]'
FROM blocks GROUP BY variant, n ORDER BY variant DESC, n;

-- table: All variants, best tunables; times: as fast as two gemv on the same device
SELECT dtype, n, name AS variant, time_s AS 'time [s]', low_s AS low, high_s AS high,
       gbytes_per_s * 1e9 AS 'rate [B/s]', roof_percent / 100.0 AS 'of roof [1]',
       times AS 'times [x]', times_low AS low, times_high AS high,
       speedup AS 'speedup [x]', speedup_low AS low, speedup_high AS high,
       CASE WHEN on_gpu THEN speedup_transfers END AS 'with copies [x]',
       speedup_transfers_low AS low, speedup_transfers_high AS high
FROM ladder ORDER BY dtype, n, on_gpu, time_s DESC;
