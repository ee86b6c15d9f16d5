-- Views for the figures of an experiment without a folder of its own. One row of records is one
-- measurement.

-- Verified and timed. n: the bytes that have to move between memory and cores. It comes first: an extent may
-- have that name too, and is then n:1.
CREATE VIEW timed AS
  SELECT bytes AS n, backend || '/' || variant AS name, *
  FROM records
  WHERE verdict = 'passed' AND median_s IS NOT NULL;

-- The first of its types that has a time.
CREATE VIEW first_type AS
  SELECT dtype FROM timed ORDER BY dtype <> 'float', dtype <> 'double', dtype LIMIT 1;

-- The fastest of each variant at each size; SQLite takes bare columns from the row of the min.
CREATE VIEW every AS SELECT *, min(median_s) AS time_s FROM timed GROUP BY name, dtype, cache, n;
CREATE VIEW best AS SELECT * FROM every WHERE cache = 'hot';
CREATE VIEW main AS SELECT * FROM best WHERE dtype = (SELECT dtype FROM first_type);

-- Beside the fastest library on the same device; `times` as fast.
CREATE VIEW library AS
  SELECT *, min(time_s) AS least_s FROM every WHERE backend = 'blas' GROUP BY dtype, cache, n, on_gpu;
CREATE VIEW ladder AS
  SELECT b.*, l.variant AS peer,
         ratio(l.median_s, l.log_variance, l.freedom, b.median_s, b.log_variance, b.freedom) AS times,
         ratio_low(l.median_s, l.log_variance, l.freedom, b.median_s, b.log_variance, b.freedom) AS times_low,
         ratio_high(l.median_s, l.log_variance, l.freedom, b.median_s, b.log_variance, b.freedom) AS times_high
  FROM every b LEFT JOIN library l USING (dtype, cache, n, on_gpu);
