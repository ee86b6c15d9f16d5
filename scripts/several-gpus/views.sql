-- What the figures of several-gpus read. One row of records is one measurement.

-- side: rows of the matrix or image, or elements of the vector. name: what is divided is said where a
-- workload has several ways.
CREATE VIEW timed AS
  SELECT *, workload || CASE backend WHEN 'blas' THEN '/cublas' ELSE '' END
           || CASE workload WHEN 'dmv' THEN replace(variant, 'split_', '/') ELSE '' END
           || CASE dtype WHEN 'float' THEN '' WHEN 'bfloat16' THEN '/bf16' ELSE '/' || dtype END AS name,
         coalesce(rows, m, n) AS side,
         coalesce(rows, m, n) || CASE WHEN cols IS NULL THEN '' ELSE 'x' || cols END AS size
  FROM records
  WHERE verdict = 'passed' AND median_s IS NOT NULL AND gpus IS NOT NULL AND cache = 'hot';

-- Each point against the same variant on one GPU. An interval of the ratio is that of both times.
CREATE VIEW scaling AS
  SELECT t.*, one.median_s AS one_s, one.low_s AS one_low_s, one.high_s AS one_high_s,
         one.median_s / t.median_s AS gained, one.low_s / t.high_s AS gained_low,
         one.high_s / t.low_s AS gained_high,
         100 * one.median_s / t.median_s / t.gpus AS efficiency,
         100 * t.moving_s / t.median_s AS moving_percent, 100 * t.apart_s / t.median_s AS apart_percent
  FROM timed t JOIN timed one USING (name, size)
  WHERE one.gpus = 1;

-- Strong scaling: square problems. The largest of each that was measured on all numbers of GPUs.
CREATE VIEW strong AS
  SELECT * FROM scaling WHERE (cols IS NULL OR rows = cols) AND (k IS NULL OR m = k);
CREATE VIEW largest AS
  SELECT s.* FROM strong s
  WHERE side = (SELECT max(side) FROM strong l
                WHERE l.name = s.name AND l.gpus = (SELECT max(gpus) FROM strong));

-- Weak scaling: 8192 rows for each GPU.
CREATE VIEW weak AS
  SELECT t.*, 100 * one.median_s / t.median_s AS efficiency, one.median_s AS one_s
  FROM timed t JOIN timed one USING (name, cols)
  WHERE t.rows = 8192 * t.gpus AND one.rows = 8192 AND one.gpus = 1 AND t.cols = 8192;

-- From which size on a team is faster than one GPU by more than the intervals leave open.
CREATE VIEW pays AS
  SELECT name, gpus, min(side) AS from_side, min(bytes) AS from_bytes
  FROM strong s
  WHERE gpus > 1 AND gained_low > 1
    AND NOT EXISTS (SELECT 1 FROM strong l WHERE l.name = s.name AND l.gpus = s.gpus
                      AND l.side >= s.side AND l.gained_low <= 1)
  GROUP BY name, gpus;

-- Bytes per second between the GPUs: see Ceilings::links.
CREATE VIEW links AS
  SELECT DISTINCT gpu, gpu_uuid, link_one_way AS one_way, link_both_ways AS both_ways,
         link_all_reduce_over_2 AS over_2, link_all_reduce_over_4 AS over_4,
         link_all_reduce_over_8 AS over_8
  FROM records WHERE link_one_way IS NOT NULL;
