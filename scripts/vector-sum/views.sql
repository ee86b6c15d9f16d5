-- Views for the figures of vector-sum. One row of records is one measurement of a whole sum.

CREATE VIEW timed AS
  SELECT *, backend || '/' || variant AS name,
         gbytes_per_s * 100 / nullif(roof_percent, 0) AS roof_gbytes_per_s,
         (n - 1) / median_s / 1e6 AS mflops
  FROM records
  WHERE workload = 'vector_sum' AND verdict = 'passed' AND median_s IS NOT NULL AND cache = 'hot';

-- The fastest of each variant; SQLite takes bare columns from the row of the min.
CREATE VIEW best AS SELECT *, min(median_s) AS time_s FROM timed GROUP BY name, dtype, n;

-- The report: int, 32K to 256K.
CREATE VIEW report AS SELECT * FROM timed WHERE dtype = 'int' AND n BETWEEN 32768 AND 262144;
CREATE VIEW report_best AS
  SELECT * FROM best WHERE dtype = 'int' AND n BETWEEN 32768 AND 262144;

-- Its two kernels at its four block sizes.
CREATE VIEW launches_of AS
  SELECT upper(variant) AS method, n, block, median_s, low_s, high_s, mflops, launches, occupancy,
         achieved_occupancy, branch_uniformity, global_load_sectors, global_store_sectors
  FROM report WHERE variant IN ('rw', 'brw') AND block IN (32, 128, 256, 1024);
CREATE VIEW means AS
  SELECT method, n, avg(median_s) AS time_s FROM launches_of GROUP BY method, n
  HAVING count(*) = 4;
CREATE VIEW sequential AS
  SELECT n, min(median_s) AS time_s, low_s, high_s FROM report WHERE backend = 'serial' GROUP BY n;

-- The published times, as printed and as they probably are for a whole sum: the printed counters
-- are averages over the launches of a sum, and so, most likely, are the times. A sum took two
-- launches up to 1024 blocks, three beyond.
CREATE VIEW published AS
  SELECT method, n, grid_blocks, block_size AS block, time_ms / 1e3 AS printed_s,
         CASE WHEN grid_blocks > 1024 THEN 3 ELSE 2 END AS launches,
         time_ms / 1e3 * CASE WHEN grid_blocks > 1024 THEN 3 ELSE 2 END AS whole_s
  FROM published_vector_sum_times;
CREATE VIEW published_means AS
  SELECT method, n, avg(printed_s) AS printed_s, avg(whole_s) AS whole_s
  FROM published GROUP BY method, n;

-- Operations and accesses to global memory of a whole sum by our rw and brw: an addition reads two
-- elements and writes one, a block reads its sum once more and writes it to the next level.
CREATE VIEW accesses AS
  WITH RECURSIVE level(method, n, block, elements, blocks) AS (
    SELECT method, n, block, n, (n + width - 1) / width FROM
      (SELECT DISTINCT method, n, block, block * (1 + (method = 'BRW')) AS width FROM published)
    UNION ALL
    SELECT method, n, block, blocks,
           (blocks + block * (1 + (method = 'BRW')) - 1) / (block * (1 + (method = 'BRW')))
    FROM level WHERE blocks > 1)
  SELECT method, n, block, count(*) AS launches, n - 1 AS operations,
         2 * (n - 1) + sum(blocks) AS reads, n - 1 + sum(blocks) AS writes
  FROM level GROUP BY method, n, block;

-- The ladder, for the figures of the bandwidth: the fastest configuration of each rung.
CREATE VIEW ladder AS
  SELECT * FROM best WHERE (backend = 'cuda' OR name = 'blas/cub' OR name = 'blas/cublas_dot');
