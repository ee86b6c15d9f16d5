-- Views for the figures of tensor-matmul. One row of records is one measurement.

-- Verified and timed, warm caches. kind: the arithmetic; products of the same kind are compared.
CREATE VIEW timed AS
  SELECT *, CASE WHEN dtype <> 'float' THEN dtype WHEN arithmetic = 'tf32' THEN 'TF32'
                 ELSE 'float' END AS kind,
         gflops / 1e3 AS tflops, gflops * 1e-3 * median_s / high_s AS tflops_low,
         gflops * 1e-3 * median_s / low_s AS tflops_high,
         gflops * 0.1 / nullif(roof_percent, 0) AS roof_tflops
  FROM records
  WHERE workload = 'matmul' AND verdict = 'passed' AND median_s IS NOT NULL AND cache = 'hot';

-- The fastest of the vendor's libraries: SQLite takes bare columns from the row of the min.
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
  FROM (SELECT *, CASE variant WHEN 'warp_products' THEN 1 WHEN 'warpgroup_products' THEN 2
                  WHEN 'bulk_copies' THEN 3 WHEN 'specialised' THEN 4 WHEN 'clusters' THEN 5
                  WHEN 'overlapped' THEN 6 END AS place
        FROM square WHERE backend = 'cuda')
  WHERE place IS NOT NULL;

-- Accuracy against speed: products of floats, one row for each kind of inputs. The last of the rungs in TF32
-- stands for all, because their errors are alike.
CREATE VIEW accuracy AS
  SELECT n, backend || '/' || variant AS name, arithmetic, tflops, errors_on, of_bound, of_rounding
  FROM (SELECT *, 'uniform' AS errors_on, error_uniform_of_bound AS of_bound,
               error_uniform_of_rounding AS of_rounding FROM square
        UNION ALL
        SELECT *, 'wide', error_wide_of_bound, error_wide_of_rounding FROM square)
  WHERE dtype = 'float' AND of_bound > 0
    AND NOT (backend = 'cuda' AND arithmetic = 'tf32' AND variant <> 'overlapped');

-- The errors of float itself: the largest of loops of multiply-adds, as in serial, and of cuBLAS.
CREATE VIEW float_error AS
  SELECT n, errors_on, max(of_bound) AS of_bound FROM accuracy
  WHERE arithmetic = 'ieee' GROUP BY n, errors_on;

-- Variants that can replace float, as far as these inputs tell: their errors are at most twice as large.
CREATE VIEW stands_in AS
  SELECT a.n, a.name, a.arithmetic, max(a.tflops) AS tflops,
         max(CASE a.errors_on WHEN 'uniform' THEN a.of_bound END) AS uniform,
         max(CASE a.errors_on WHEN 'wide' THEN a.of_bound END) AS wide,
         max(CASE a.errors_on WHEN 'uniform' THEN a.of_rounding END) AS uniform_of_rounding,
         max(CASE a.errors_on WHEN 'wide' THEN a.of_rounding END) AS wide_of_rounding,
         max(a.of_bound / f.of_bound) AS times_float
  FROM accuracy a JOIN float_error f USING (n, errors_on) GROUP BY a.n, a.name;
