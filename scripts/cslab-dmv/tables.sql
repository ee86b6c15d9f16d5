-- The three tables of the report, published values beside ours. The published times are totals of 100
-- executions; here every time is that of one.

-- note: y = A x, float, caches hot, K = 1024; times of one execution (published: total of 100, divided by
-- 100), their 95 % intervals, and how many times as fast ours are.

-- table: Tables 1 and 2: serial and cublas
SELECT p.variant AS implementation, p.n_label AS n, p.time_s / 100.0 AS 'published [s]',
       o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high,
       p.gflops * 1e9 AS 'published [flop/s]', o.gflops * 1e9 AS 'ours [flop/s]',
       p.time_s / 100.0 / o.time_s AS 'faster [x]'
FROM (SELECT 'serial' AS variant, n_label, time_s, gflops FROM published_cslab_dmv_serial
      UNION ALL SELECT 'cublas', n_label, time_s, gflops FROM published_cslab_dmv_cublas) p
JOIN fastest_counterpart o ON o.variant = p.variant AND o.n = 1024 * CAST(p.n_label AS INTEGER)
ORDER BY p.variant DESC, o.n;

-- table: Table 3: the best of each implementation
SELECT p.n_label AS n, p.variant AS implementation, p.time_s AS 'published [s]',
       coalesce('threads ' || p.threads, 'block ' || p.block) AS 'with',
       o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high,
       coalesce('threads ' || o.threads, 'block ' || o.block) AS 'with',
       o.name AS 'our variant', o.roof_percent / 100.0 AS 'of roof [1]',
       p.time_s / o.time_s AS 'faster [x]'
FROM published p JOIN fastest_counterpart o ON o.variant = p.variant AND o.n = p.n
ORDER BY p.n, CASE p.variant WHEN 'serial' THEN 0 WHEN 'openmp' THEN 1 WHEN 'naive' THEN 2
                             WHEN 'coalesced' THEN 3 WHEN 'shmem' THEN 4 ELSE 5 END;

-- table: Our fastest
SELECT (n / 1024) || 'K' AS n, name AS variant, min(time_s) AS 'time [s]',
       gflops * 1e9 AS 'rate [flop/s]', roof_percent / 100.0 AS 'of roof [1]'
FROM best GROUP BY best.n ORDER BY best.n;
