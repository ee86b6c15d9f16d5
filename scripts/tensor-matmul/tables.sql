-- The ladders by type, odd sizes, and which arithmetic can replace float.

-- note: C = A B on tensor cores, caches hot, times of one execution with their 95 % intervals.

-- table: The gain of each rung: times as fast as the rung before; library: the faster of cuBLAS and cuBLASLt
SELECT kind, n, variant, median_s AS 'time [s]', low_s AS low, high_s AS high,
       tflops * 1e12 AS 'rate [flop/s]', gained AS 'over the rung before [x]',
       peer_percent / 100.0 AS 'of library [1]', roof_percent / 100.0 AS 'of roof [1]'
FROM rungs ORDER BY kind, n, place;

-- table: Arithmetic that can replace float: largest errors, in units of float's bound and of the element's own
-- rounding; they may be at most twice those of a loop in float or of cuBLAS
SELECT n, name AS variant, arithmetic, tflops * 1e12 AS 'rate [flop/s]',
       tflops / (SELECT tflops FROM accuracy c WHERE c.n = s.n AND c.name = 'blas/cublas') AS 'cuBLAS float [x]',
       uniform AS 'uniform, of bound', wide AS 'wide, of bound',
       uniform_of_rounding AS 'uniform, roundings', wide_of_rounding AS 'wide, roundings',
       times_float AS 'error of float [x]',
       CASE WHEN times_float <= 2 THEN 'yes' ELSE 'no' END AS 'stands in'
FROM stands_in s ORDER BY n, tflops;

-- table: Odd and rectangular sizes
SELECT m, k, n, kind, backend || '/' || variant AS variant, median_s AS 'time [s]',
       tflops * 1e12 AS 'rate [flop/s]', peer_percent / 100.0 AS 'of library [1]'
FROM compared WHERE NOT (m = n AND k = n AND n % 1024 = 0) ORDER BY kind, m, k, n, tflops;
