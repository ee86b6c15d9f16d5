-- Views for the figures of several-gpus. One row of records is one measurement.

-- side: rows of the matrix or image, or elements of the vector. name: includes what is divided if a
-- workload has several ways.
CREATE VIEW timed AS
  SELECT *, workload || CASE WHEN backend = 'blas' THEN '/cublas'
                             WHEN workload IN ('dmv', 'matmul', 'covariance')
                               THEN replace(variant, 'split_', '/')
                             ELSE '' END
           || CASE dtype WHEN 'float' THEN '' WHEN 'bfloat16' THEN '/bf16' ELSE '/' || dtype END AS name,
         coalesce(rows, m, n) AS side, coalesce(cols, n) AS across
  FROM records
  WHERE verdict = 'passed' AND median_s IS NOT NULL AND gpus IS NOT NULL;

-- Each point compared with the same variant on one GPU: the same problem, or 8192 rows of it per GPU.
CREATE VIEW against_one AS
  SELECT t.*, one.size AS one_size,
         ratio(one.median_s, one.log_variance, one.freedom, t.median_s, t.log_variance, t.freedom)
           AS gained,
         CASE WHEN t.gpus > 1 THEN
           ratio_low(one.median_s, one.log_variance, one.freedom, t.median_s, t.log_variance, t.freedom)
         END AS gained_low,
         CASE WHEN t.gpus > 1 THEN
           ratio_high(one.median_s, one.log_variance, one.freedom, t.median_s, t.log_variance, t.freedom)
         END AS gained_high,
         -- Transfers are measured in separate executions. If they took longer than a timed one,
         -- a GPU waited for another, and the value is left out.
         CASE WHEN t.moving_s <= t.median_s THEN 100 * t.moving_s / t.median_s END AS moving_percent
  FROM timed t JOIN timed one USING (name, cache)
  WHERE one.gpus = 1;

-- Strong scaling: square problems.
CREATE VIEW scaling AS
  SELECT *, 100 * gained / gpus AS efficiency,
         100 * gained_low / gpus AS efficiency_low, 100 * gained_high / gpus AS efficiency_high
  FROM against_one
  WHERE size = one_size AND (workload = 'vector_sum' OR side = across) AND (k IS NULL OR k = m);
CREATE VIEW strong AS SELECT * FROM scaling WHERE cache = 'hot';
CREATE VIEW cold AS SELECT * FROM scaling WHERE cache = 'cold';

-- The largest of each that was measured on all numbers of GPUs.
CREATE VIEW largest AS
  SELECT s.* FROM strong s
  WHERE side = (SELECT max(side) FROM strong l
                WHERE l.name = s.name AND l.gpus = (SELECT max(gpus) FROM strong));

-- For the figures: among the ways to share a workload in a type that were measured at three sizes or more,
-- the one that is fastest on all GPUs at the largest.
CREATE VIEW drawn AS
  WITH ways AS (SELECT workload, dtype, name, max(side) AS side FROM strong
                WHERE gpus = (SELECT max(gpus) FROM strong)
                GROUP BY workload, dtype, name HAVING count(*) >= 3),
       ranked AS (SELECT s.name,
                         row_number() OVER (PARTITION BY s.workload, s.dtype
                                            ORDER BY s.side DESC, s.median_s) AS place
                  FROM ways w JOIN strong s USING (name, side)
                  WHERE s.gpus = (SELECT max(gpus) FROM strong))
  SELECT name FROM ranked WHERE place = 1;
CREATE VIEW largest_drawn AS SELECT * FROM largest WHERE name IN (SELECT name FROM drawn);

-- The fastest on one GPU, including its library, if variants for one GPU were measured: variants that can be
-- split are not always the fastest.
CREATE VIEW on_one AS
  SELECT workload, dtype, gpus, backend || '/' || variant AS name, median_s, log_variance, freedom, size
  FROM records
  WHERE verdict = 'passed' AND median_s IS NOT NULL AND ifnull(gpus, 1) = 1 AND on_gpu AND cache = 'hot'
    AND arithmetic = 'ieee';
CREATE VIEW alone AS
  SELECT workload, dtype, size, name, min(median_s) AS median_s, log_variance, freedom
  FROM on_one
  WHERE (workload, dtype, size) IN (SELECT workload, dtype, size FROM on_one WHERE gpus IS NULL)
  GROUP BY workload, dtype, size;
CREATE VIEW against_alone AS
  SELECT s.name, s.side, s.size, s.gpus, s.median_s, a.name AS alone, a.median_s AS alone_s,
         ratio(a.median_s, a.log_variance, a.freedom, s.median_s, s.log_variance, s.freedom)
           AS over_alone,
         ratio_low(a.median_s, a.log_variance, a.freedom, s.median_s, s.log_variance, s.freedom)
           AS over_alone_low,
         ratio_high(a.median_s, a.log_variance, a.freedom, s.median_s, s.log_variance, s.freedom)
           AS over_alone_high
  FROM strong s JOIN alone a USING (workload, dtype, size)
  WHERE s.gpus = (SELECT max(gpus) FROM strong);

-- Weak scaling: 8192 rows per GPU, for variants measured like this on several.
CREATE VIEW weak AS
  WITH rows_for_each AS (
    SELECT *, 100 * gained AS efficiency,
           100 * gained_low AS efficiency_low, 100 * gained_high AS efficiency_high
    FROM against_one
    WHERE cache = 'hot' AND side = 8192 * gpus AND across = 8192 AND (k IS NULL OR k = 8192)
      AND one_size IN ('8192x8192', '8192x8192x8192'))
  SELECT * FROM rows_for_each WHERE name IN (SELECT name FROM rows_for_each WHERE gpus > 1);

-- The size from which on several GPUs are faster than one by more than the interval; NULL: at no measured
-- size.
CREATE VIEW pays AS
  SELECT name, gpus, min(side) FILTER (WHERE gains > 1 AND side > last_that_does_not) AS from_side,
         min(bytes) FILTER (WHERE gains > 1 AND side > last_that_does_not) AS from_bytes,
         min(side) AS smallest, min(gained) AS least_gained
  FROM (SELECT *, coalesce(max(side) FILTER (WHERE gains <= 1) OVER (PARTITION BY name, gpus), 0)
               AS last_that_does_not
        FROM (SELECT *, coalesce(gained_low, gained) AS gains FROM strong WHERE gpus > 1))
  GROUP BY name, gpus;

-- Our targets for several GPUs, in percent of their combined speed: reached or missed if the whole interval
-- is, open if the samples cannot tell, NULL if nothing was measured.
CREATE VIEW targets AS
  WITH wanted(name, side, percent) AS (VALUES
    ('dmv/rows', 16384, 95), ('dmv/rows', 32768, 95), ('atax', 16384, 95), ('atax', 32768, 95),
    ('conv2d', 16384, 95), ('conv2d', 32768, 95), ('convsep', 16384, 95), ('convsep', 32768, 95),
    ('vector_sum', 1 << 30, 95), ('matmul/rows', 16384, 95), ('matmul/panels', 16384, 95),
    ('matmul/cublas/bf16', 16384, 95), ('covariance/panels/double', 8192, 90),
    ('covariance/tensor/double', 8192, 90))
  SELECT w.name, w.side, s.gpus, w.percent * s.gpus / 100.0 AS wanted, s.gained, s.gained_low, s.gained_high,
         CASE WHEN s.gained IS NULL THEN NULL
              WHEN s.gained_low * 100 >= w.percent * s.gpus THEN 'reached'
              WHEN s.gained_high * 100 < w.percent * s.gpus THEN 'missed'
              ELSE 'open' END AS outcome
  FROM wanted w LEFT JOIN strong s ON s.name = w.name AND s.side = w.side AND s.gpus > 1;

-- Bytes per second between the GPUs: see Ceilings::links.
CREATE VIEW links AS
  SELECT DISTINCT gpu, gpu_uuid, link_one_way AS one_way, link_both_ways AS both_ways,
         link_all_reduce_over_2 AS over_2, link_all_reduce_over_4 AS over_4,
         link_all_reduce_over_8 AS over_8
  FROM records WHERE link_one_way IS NOT NULL;
