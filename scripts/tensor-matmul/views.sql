-- What the figures of tensor-matmul read. One row of records is one measurement.

-- Verified and timed, warm caches. kind: of the arithmetic that products are compared in.
CREATE VIEW timed AS
  SELECT *, CASE WHEN dtype <> 'float' THEN dtype WHEN arithmetic = 'tf32' THEN 'TF32'
                 ELSE 'float' END AS kind,
         gflops / 1e3 AS tflops, gflops * 1e-3 * median_s / high_s AS tflops_low,
         gflops * 1e-3 * median_s / low_s AS tflops_high,
         gflops * 0.1 / nullif(roof_percent, 0) AS roof_tflops
  FROM records
  WHERE workload = 'matmul' AND verdict = 'passed' AND median_s IS NOT NULL AND cache = 'hot';

-- The best that the vendor's libraries do: of the bare columns SQLite takes the row of the min.
CREATE VIEW peer AS
  SELECT m, k, n, kind, variant, min(median_s) AS median_s, tflops
  FROM timed WHERE backend = 'blas' GROUP BY m, k, n, kind;

CREATE VIEW compared AS
  SELECT t.*, 100 * p.median_s / t.median_s AS peer_percent,
         100 * p.median_s / t.high_s AS peer_percent_low,
         100 * p.median_s / t.low_s AS peer_percent_high
  FROM timed t LEFT JOIN peer p USING (m, k, n, kind);

CREATE VIEW square AS SELECT * FROM compared WHERE m = n AND k = n AND n % 1024 = 0;

-- The rungs in the order of the ladder, and what each gained over the one before.
CREATE VIEW rungs AS
  SELECT *, row_number() OVER (PARTITION BY kind, n ORDER BY place) AS number,
         lag(median_s) OVER (PARTITION BY kind, n ORDER BY place) / median_s AS gained
  FROM (SELECT *, CASE variant WHEN 'warpgroup_products' THEN 1 WHEN 'bulk_copies' THEN 2
                  WHEN 'specialised' THEN 3 WHEN 'clusters' THEN 4 WHEN 'overlapped' THEN 5
                  END AS place
        FROM square WHERE backend = 'cuda')
  WHERE place IS NOT NULL;
