-- The table of the report, published values beside ours, and the ladder.

-- note: C = A B, n x n, caches hot, times of one execution with their 95 % intervals.

-- table: Table 1: the report's two kernels, int (ours: the fastest tile width and granularity)
SELECT p.n, p.name AS kernel, p.time_s AS 'published [s]',
       o.time_s AS 'ours [s]', o.low_s AS low, o.high_s AS high, o.tile, o.granularity,
       p.gflops * 1e9 AS 'published [op/s]', o.gflops * 1e9 AS 'ours [op/s]',
       p.time_s / o.time_s AS 'faster [x]'
FROM published p JOIN best_of_all o ON o.n = p.n AND o.name = p.name AND o.dtype = 'int'
ORDER BY p.n, p.name DESC;

-- table: Granularity 2 compared with one tile: times as fast (published: 1.19 at 1000, 1.46 at 2000)
SELECT n, tile, max(CASE granularity WHEN 1 THEN speedup END) AS 'granularity 1 [x]',
       max(CASE granularity WHEN 2 THEN speedup END) AS '2 [x]',
       max(CASE granularity WHEN 4 THEN speedup END) AS '4 [x]'
FROM granularity WHERE dtype = 'int' GROUP BY n, tile ORDER BY n, tile;

-- table: The ladder, float, best tunables (arithmetic: ieee, or what the operands are rounded to)
SELECT n, name AS variant, arithmetic, time_s AS 'time [s]', low_s AS low, high_s AS high,
       gflops * 1e9 AS 'rate [flop/s]', cublas_percent / 100.0 AS 'of cuBLAS [1]',
       roof_percent / 100.0 AS 'of roof [1]'
FROM ladder ORDER BY n, gflops;

-- table: Double, on tensor cores (cuda/tensor, cuda/tensor_bulk, cuda/residues, cuBLAS) and without; the roof is that of the units used
SELECT b.n, b.name AS variant, b.time_s AS 'time [s]', b.low_s AS low, b.high_s AS high,
       b.gflops * 1e9 AS 'rate [flop/s]', c.time_s / b.time_s AS 'of cuBLAS [1]',
       b.roof_percent / 100.0 AS 'of roof [1]'
FROM best_of_all b LEFT JOIN best_of_all c
  ON c.n = b.n AND c.dtype = b.dtype AND c.name = 'blas/cublas'
WHERE b.dtype = 'double' AND b.on_gpu ORDER BY b.n, b.gflops;

-- table: The CPU, and the GPU in reduced precision, float
SELECT n, dtype, name AS variant, threads, time_s AS 'time [s]', gflops * 1e9 AS 'rate [flop/s]',
       roof_percent / 100.0 AS 'of roof [1]'
FROM best_of_all WHERE dtype = 'float' AND (NOT on_gpu OR name = 'blas/cublas_tf32')
ORDER BY n, gflops;
