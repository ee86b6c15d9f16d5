-- Views for the figures of patras-covariance. One row of records is one measurement.

-- Speedups are over PolyBench's loops. If these were left out because they take too long, the records have
-- speedups over the other serial variant, which cannot be compared with those.
UPDATE all_records
SET speedup = NULL, speedup_low = NULL, speedup_high = NULL,
    speedup_transfers = NULL, speedup_transfers_low = NULL, speedup_transfers_high = NULL
WHERE NOT EXISTS (
  SELECT 1 FROM records p
  WHERE p.backend = 'serial' AND p.variant = 'plain' AND p.median_s IS NOT NULL
    AND p.m = all_records.m AND p.n = all_records.n AND p.float_n = all_records.float_n
    AND p.dtype = all_records.dtype AND p.cache = all_records.cache);

-- As many observations as variables, warm caches; name and device.
CREATE VIEW every AS
  SELECT *, backend || '/' || variant AS name,
         gflops * 100 / nullif(roof_percent, 0) AS roof_gflops,
         CASE WHEN unit LIKE 'tensor %' THEN 2 ELSE on_gpu END AS units -- CPU, GPU, its tensor cores
  FROM records WHERE workload = 'covariance' AND m = n AND cache = 'hot';

-- Verified and timed: with the true means, and with PolyBench's constant.
CREATE VIEW timed AS
  SELECT * FROM every WHERE verdict = 'passed' AND median_s IS NOT NULL AND float_n = 0;
CREATE VIEW polybench AS
  SELECT *, min(median_s) AS time_s FROM every
  WHERE verdict = 'passed' AND median_s IS NOT NULL AND float_n > 0 GROUP BY name, dtype, n;

-- The fastest of each variant at each size; SQLite takes bare columns from the row of the min.
CREATE VIEW best AS SELECT *, min(median_s) AS time_s FROM timed GROUP BY name, dtype, n;

-- For comparing backends: variants that are the fastest of their backend at some size, libraries, and the
-- report's kernel. The ladder has figures of its own.
CREATE VIEW shown AS
  SELECT * FROM best WHERE backend = 'blas' OR name = 'cuda/tiled' OR (name, dtype) IN
    (SELECT name, dtype FROM (SELECT name, dtype, min(time_s) FROM best GROUP BY backend, dtype, n));

-- Measured rates of multiply-adds, the best of a device's units: the roof unless bandwidth sets it.
CREATE VIEW peak AS
  SELECT dtype, on_gpu, max(roof_gflops) AS peak_gflops FROM timed GROUP BY dtype, on_gpu;

-- All of it, with the peak and syrk of the same device's library; `times`: as fast as syrk.
CREATE VIEW ladder AS
  SELECT b.*, 100 * b.gflops / p.peak_gflops AS peak_percent,
         ratio(s.median_s, s.log_variance, s.freedom, b.median_s, b.log_variance, b.freedom) AS times,
         ratio_low(s.median_s, s.log_variance, s.freedom, b.median_s, b.log_variance, b.freedom) AS times_low,
         ratio_high(s.median_s, s.log_variance, s.freedom, b.median_s, b.log_variance, b.freedom) AS times_high
  FROM best b LEFT JOIN peak p USING (dtype, on_gpu) LEFT JOIN best s
    ON s.n = b.n AND s.dtype = b.dtype AND s.on_gpu = b.on_gpu AND s.name LIKE 'blas/%_syrk';

-- The packed upper triangle compared with both triangles, the second mirrored: how many times as fast, alone
-- and with the copies. The packed result takes half as long to copy.
CREATE VIEW packed AS
  SELECT a.n, a.dtype, a.time_s AS packed_s, b.time_s AS mirror_s, a.tile AS packed_tile,
         b.tile AS mirror_tile,
         ratio(b.median_s, b.log_variance, b.freedom, a.median_s, a.log_variance, a.freedom) AS times,
         ratio_low(b.median_s, b.log_variance, b.freedom, a.median_s, a.log_variance, a.freedom) AS times_low,
         ratio_high(b.median_s, b.log_variance, b.freedom, a.median_s, a.log_variance, a.freedom) AS times_high,
         (b.time_s + b.to_device_s + b.to_host_s) / (a.time_s + a.to_device_s + a.to_host_s)
           AS moved_times
  FROM best a JOIN best b ON b.n = a.n AND b.dtype = a.dtype
  WHERE a.name = 'cuda/packed' AND b.name = 'cuda/mirror';

-- Effect of the tile width at the report's sizes.
CREATE VIEW tiles AS
  SELECT * FROM timed
  WHERE backend = 'cuda' AND tile IS NOT NULL AND dtype = 'double' AND n BETWEEN 1024 AND 3000;

-- The report's table. Its kernel stands for our `tiled`, which is that kernel as it was meant.
CREATE VIEW published AS
  SELECT CAST(rows AS INTEGER) AS n, CAST(time_s AS REAL) AS time_s, variant,
         CASE variant WHEN 'serial' THEN 'serial/plain' ELSE 'cuda/tiled' END AS name,
         CAST(nullif(speedup, '') AS REAL) AS published_speedup,
         nullif(gpu_utilization_percent, '') AS utilization
  FROM published_patras_cuda_covariance;
