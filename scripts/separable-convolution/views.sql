-- Views for the figures of separable-convolution. One row of records is one measurement; the
-- published tables are available as published_NAME.

-- Square images, warm caches, verified and timed. gbytes: of the image, read once and written once.
CREATE VIEW every AS
  SELECT *, rows AS n, backend || '/' || variant AS name,
         bytes * 1e-9 / median_s AS gbytes, bytes * 1e-9 / ifnull(low_s, median_s) AS gbytes_high,
         bytes * 1e-9 / ifnull(high_s, median_s) AS gbytes_low,
         CASE WHEN load = 2 AND store = 0 THEN 'dlcm_cg'
              WHEN load = 3 AND store = 1 THEN 'dlcm_cs_dscm_wt'
              WHEN ifnull(load, 0) = 0 AND ifnull(store, 0) = 0 THEN 'default' END AS policy
  FROM records
  WHERE workload = 'convsep' AND verdict = 'passed' AND median_s IS NOT NULL AND rows = cols
        AND cache = 'hot';
CREATE VIEW timed AS SELECT * FROM every WHERE radius = 16;

-- The fastest of each variant at each size; SQLite takes bare columns from the row of the min.
CREATE VIEW best AS
  SELECT *, min(median_s) AS time_s FROM timed WHERE policy = 'default' GROUP BY name, dtype, n;

-- By radius, only with the tunables that most radii were measured with.
CREATE VIEW configured AS
  SELECT *, name || dtype || n || ';' || tunables AS config FROM every WHERE policy = 'default';
CREATE VIEW by_radius AS
  SELECT *, min(median_s) AS time_s FROM configured
  WHERE config IN (SELECT config FROM configured GROUP BY config HAVING count(DISTINCT radius) > 3)
  GROUP BY name, dtype, n, radius;

-- The report's kernels: without tiles on the padded image, and tiled; blocks of 16 x 16.
CREATE VIEW nontiled AS
  SELECT *, min(median_s) AS time_s FROM timed
  WHERE variant IN ('padded', 'global') AND block_x = 16 AND block_y = 16 AND policy IS NOT NULL
  GROUP BY name, dtype, n, policy;
CREATE VIEW tiled AS
  SELECT *, block_x || 'x' || block_y AS block_shape,
         w1 || 'x' || h1 || ' ' || w2 || 'x' || h2 AS tiles, min(median_s) AS time_s
  FROM timed WHERE variant = 'tiled' AND policy IS NOT NULL
  GROUP BY dtype, n, block_x, block_y, w1, h1, w2, h2, policy;
CREATE VIEW tiled_16 AS SELECT * FROM tiled WHERE block_shape = '16x16' AND tiles = '16x16 16x16';
CREATE VIEW tiled_tall AS SELECT * FROM tiled WHERE block_shape = '16x16' AND tiles = '16x16 16x128';

-- The report's table of tile sizes, in its order; ours beside it, at the largest size there is.
CREATE VIEW settings AS
  SELECT rowid AS place, block_x || 'x' || block_y AS block_shape,
         tile_w1 || 'x' || tile_h1 || ' ' || tile_w2 || 'x' || tile_h2 AS tiles,
         time_s AS published_s, tile_w1 AS w1, tile_h2 AS h2
  FROM published_separable_convolution_tile_sizes;
CREATE VIEW at_largest AS
  SELECT * FROM tiled
  WHERE dtype = 'float' AND policy = 'default' AND n = (SELECT max(n) FROM tiled);

-- Both caches' tables with the same names as ours.
CREATE VIEW published_policies AS
  SELECT 'nontiled' AS kernel, rows AS n, cache_mode AS policy, time_s FROM published_separable_convolution_nontiled_cache
  UNION ALL SELECT 'tiled', rows, cache_mode, time_s FROM published_separable_convolution_tiled_cache;
CREATE VIEW policies AS
  SELECT 'nontiled' AS kernel, n, policy, time_s, low_s, high_s FROM nontiled
  WHERE dtype = 'float' AND variant = 'padded'
  UNION ALL SELECT 'tiled', n, policy, time_s, low_s, high_s FROM tiled_16 WHERE dtype = 'float';
