-- Views for the figures of cslab-dmv. One row of records is one measurement.

-- The points of the report: square, float, warm caches, verified and timed.
CREATE VIEW timed AS
  SELECT *, rows AS n, backend || '/' || variant AS name,
         gflops * 100 / nullif(roof_percent, 0) AS roof_gflops
  FROM records
  WHERE workload = 'dmv' AND verdict = 'passed' AND median_s IS NOT NULL
    AND rows = cols AND dtype = 'float' AND cache = 'hot';

-- The fastest of each variant at each size; SQLite takes bare columns from the row of the min.
CREATE VIEW best AS SELECT *, min(median_s) AS time_s FROM timed GROUP BY name, n;

-- OpenMP: the fastest variant at each number of threads.
CREATE VIEW openmp AS
  SELECT *, min(median_s) AS time_s FROM timed
  WHERE backend = 'openmp' AND threads > 0 GROUP BY n, threads;

-- The report's table 3. Its times are totals of 100 repetitions; K is 1024.
CREATE VIEW published AS
  SELECT 1024 * CAST(n_label AS INTEGER) AS n, n_label, variant, time_s / 100.0 AS time_s,
         threads, block_size AS block,
         2e-7 * 1024 * 1024 * CAST(n_label AS INTEGER) * CAST(n_label AS INTEGER) / time_s AS gflops
  FROM published_cslab_dmv_best;

-- For each variant of the report, ours that is compared with it.
CREATE VIEW counterpart AS
  SELECT name, n, time_s, low_s, high_s, gflops, roof_percent, threads, block,
         CASE WHEN backend IN ('serial', 'openmp') THEN backend
              WHEN backend = 'blas' AND on_gpu THEN 'cublas'
              ELSE variant END AS variant
  FROM best WHERE NOT (backend = 'blas' AND NOT on_gpu);
CREATE VIEW fastest_counterpart AS
  SELECT *, min(time_s) AS fastest FROM counterpart GROUP BY variant, n;
