-- Views for the figures of tiled-matmul. One row of records is one measurement.

-- Square products, warm caches, verified and timed. The roof is that of float: other arithmetic has
-- its own units and its own roof.
CREATE VIEW timed AS
  SELECT *, backend || '/' || variant AS name,
         CASE WHEN arithmetic = 'ieee' THEN gflops * 100 / nullif(roof_percent, 0) END AS roof_gflops
  FROM records
  WHERE workload = 'matmul' AND verdict = 'passed' AND median_s IS NOT NULL
    AND m = n AND k = n AND cache = 'hot';

-- The fastest of each variant at each size; SQLite takes bare columns from the row of the min.
CREATE VIEW best_of_all AS SELECT *, min(median_s) AS time_s FROM timed GROUP BY name, n, dtype;
CREATE VIEW best AS SELECT * FROM best_of_all WHERE dtype = 'float';

-- For comparing backends: variants that are the fastest of their backend at some size, libraries, and the
-- report's two kernels. The ladder has its own figures.
CREATE VIEW shown AS
  SELECT * FROM best WHERE backend = 'blas' OR name IN ('cuda/tiled', 'cuda/granularity') OR name IN
    (SELECT name FROM (SELECT name, min(time_s) FROM best WHERE arithmetic = 'ieee' GROUP BY backend, n));

-- The ladder of float kernels on the GPU beside the library, at each size. TF32 is not compared.
CREATE VIEW ladder AS
  SELECT b.*,
         100 * ratio(c.median_s, c.log_variance, c.freedom, b.median_s, b.log_variance, b.freedom) AS cublas_percent
  FROM best b LEFT JOIN best c ON c.n = b.n AND c.name = 'blas/cublas'
  WHERE b.backend = 'cuda' OR b.name = 'blas/cublas';

-- Effect of granularity: how much faster than `tiled` with tiles of the same width.
CREATE VIEW granularity AS
  SELECT g.n, g.dtype, g.tile, g.granularity,
         ratio(t.median_s, t.log_variance, t.freedom, g.median_s, g.log_variance, g.freedom) AS speedup,
         ratio_low(t.median_s, t.log_variance, t.freedom, g.median_s, g.log_variance, g.freedom) AS speedup_low,
         ratio_high(t.median_s, t.log_variance, t.freedom, g.median_s, g.log_variance, g.freedom) AS speedup_high
  FROM timed g JOIN timed t USING (n, dtype, tile)
  WHERE g.name = 'cuda/granularity' AND t.name = 'cuda/tiled';

-- The report's table, in int, under the names of our variants.
CREATE VIEW published AS
  SELECT n, time_ms / 1e3 AS time_s, 2e-6 * n * n * n / time_ms AS gflops,
         CASE variant WHEN 'tile_normal' THEN 'cuda/tiled' ELSE 'cuda/granularity' END AS name
  FROM published_tiled_matmul_times;
