-- Views for the figures of every-size. One row of records is one measurement.

-- Verified and timed, warm caches, on the GPU if there is one. high, across: the two extents of the matrix
-- or image, or of the result of a product; for a vector both are its elements. kind: the dtype, and other
-- arithmetic than usual, which has a different roof.
CREATE VIEW timed AS
  SELECT *, coalesce(rows, m, n) AS high, coalesce(cols, n) AS across,
         dtype || CASE arithmetic WHEN 'ieee' THEN '' ELSE '/' || arithmetic END AS kind
  FROM records
  WHERE verdict = 'passed' AND median_s IS NOT NULL AND cache = 'hot'
    AND on_gpu = (SELECT max(on_gpu) FROM records WHERE verdict = 'passed');

-- The fastest of ours, and of the libraries: SQLite takes bare columns from the row of the min.
CREATE VIEW ours AS
  SELECT *, min(median_s) AS time_s FROM timed WHERE backend <> 'blas' GROUP BY workload, kind, size;
CREATE VIEW library AS
  SELECT *, min(median_s) AS time_s FROM timed WHERE backend = 'blas' GROUP BY workload, kind, size;

-- `times` as fast as the library; NULL if there is none.
CREATE VIEW compared AS
  SELECT o.*, o.backend || '/' || o.variant AS name, l.variant AS peer, l.roof_percent AS peer_percent,
         ratio(l.median_s, l.log_variance, l.freedom, o.median_s, o.log_variance, o.freedom) AS times,
         ratio_low(l.median_s, l.log_variance, l.freedom, o.median_s, o.log_variance, o.freedom) AS times_low,
         ratio_high(l.median_s, l.log_variance, l.freedom, o.median_s, o.log_variance, o.freedom) AS times_high
  FROM ours o LEFT JOIN library l USING (workload, kind, size);

CREATE VIEW square AS SELECT * FROM compared WHERE high = across AND (k IS NULL OR k = m);
-- shape: high over across, except for vectors.
CREATE VIEW shapes AS
  SELECT *, 1.0 * high / across AS shape FROM compared
  WHERE workload <> 'vector_sum' AND high * across BETWEEN
    (SELECT max(o.high * o.across) * 0.98 FROM compared o WHERE o.high > 60 * o.across) AND
    (SELECT max(o.high * o.across) * 1.02 FROM compared o WHERE o.high > 60 * o.across);

-- Sorted by the ratio to the library, slowest first.
CREATE VIEW worst AS
  SELECT *, row_number() OVER (PARTITION BY workload, kind ORDER BY times) AS place
  FROM compared WHERE times IS NOT NULL;
