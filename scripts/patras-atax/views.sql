-- Views for the figures of patras-atax. One row of records is one measurement.

-- Square matrices, warm caches, verified and timed.
CREATE VIEW timed AS
  SELECT *, rows AS n, backend || '/' || variant AS name,
         gflops * 100 / nullif(roof_percent, 0) AS roof_gflops
  FROM records
  WHERE workload = 'atax' AND verdict = 'passed' AND median_s IS NOT NULL
    AND rows = cols AND cache = 'hot';

-- The fastest of each variant at each size; SQLite takes bare columns from the row of the min.
CREATE VIEW best AS SELECT *, min(median_s) AS time_s FROM timed GROUP BY name, dtype, n;

-- With the two gemv of the same device's library; `times`: as fast as those.
CREATE VIEW ladder AS
  SELECT b.*,
         ratio(g.median_s, g.log_variance, g.freedom, b.median_s, b.log_variance, b.freedom) AS times,
         ratio_low(g.median_s, g.log_variance, g.freedom, b.median_s, b.log_variance, b.freedom) AS times_low,
         ratio_high(g.median_s, g.log_variance, g.freedom, b.median_s, b.log_variance, b.freedom) AS times_high
  FROM best b LEFT JOIN best g
    ON g.n = b.n AND g.dtype = b.dtype AND g.on_gpu = b.on_gpu AND g.backend = 'blas';

-- Effect of the block size, in the report's data type.
CREATE VIEW blocks AS
  SELECT * FROM timed
  WHERE backend = 'cuda' AND variant IN ('naive', 'shared') AND dtype = 'double' AND block IS NOT NULL;

-- The report's table. Its CUDA kernel stands for our `shared`, which is that kernel as it was meant.
CREATE VIEW published AS
  SELECT CAST(rows AS INTEGER) AS n, CAST(time_s AS REAL) AS time_s,
         variant, CASE variant WHEN 'serial' THEN 'serial/plain' ELSE 'cuda/shared' END AS name,
         CAST(nullif(speedup, '') AS REAL) AS published_speedup,
         nullif(gpu_utilization_percent, '') AS utilization
  FROM published_patras_cuda_atax;
