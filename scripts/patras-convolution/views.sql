-- Views for the figures of patras-convolution. One row of records is one measurement.

-- Square images, warm caches, verified and timed.
CREATE VIEW every AS
  SELECT *, rows AS n, backend || '/' || variant AS name,
         gbytes_per_s * 100 / nullif(roof_percent, 0) AS roof_gbytes_per_s
  FROM records
  WHERE workload = 'conv2d' AND verdict = 'passed' AND median_s IS NOT NULL AND rows = cols;
CREATE VIEW timed AS SELECT * FROM every WHERE cache = 'hot';

-- The fastest of each variant at each size; SQLite takes bare columns from the row of the min.
CREATE VIEW best AS SELECT *, min(median_s) AS time_s FROM timed GROUP BY name, dtype, n;

-- The report's kernel with its square blocks.
CREATE VIEW blocks AS
  SELECT * FROM timed WHERE name = 'cuda/naive' AND block_x = block_y AND block_x IN (8, 16, 32);

-- The report's table. Its kernel stands for our naive one.
CREATE VIEW published AS
  SELECT 'double' AS dtype, CAST(rows AS INTEGER) AS n, CAST(time_s AS REAL) AS time_s, variant,
         CASE variant WHEN 'serial' THEN 'serial/plain' ELSE 'cuda/naive' END AS name,
         CAST(nullif(speedup, '') AS REAL) AS published_speedup,
         nullif(gpu_utilization_percent, '') AS utilization
  FROM published_patras_cuda_convolution;

-- The occupancy argument of exercise 1: limits of a multiprocessor, of the report's device and of an
-- H200 (CUDA C++ Programming Guide, compute capability 9.0; units of allocation as cuda_occupancy.h).
CREATE VIEW limit_of AS SELECT [limit] AS name, CAST(value AS INTEGER) AS value FROM published_patras_cuda_device_limits;
CREATE VIEW devices AS
  SELECT 'the report''s' AS device,
    (SELECT value FROM limit_of WHERE name = 'max_warps_per_multiprocessor') AS most_warps,
    (SELECT value FROM limit_of WHERE name = 'max_thread_blocks_per_multiprocessor') AS most_blocks,
    (SELECT value FROM limit_of WHERE name = 'registers_per_multiprocessor') AS all_registers,
    (SELECT value FROM limit_of WHERE name = 'register_allocation_unit_size') AS unit,
    (SELECT value FROM limit_of WHERE name = 'warp_allocation_granularity') AS warp_unit
  UNION ALL
  SELECT 'compute capability 9.0', 64, 32, 65536, 256, 4;

-- Registers of a thread of the naive kernel in double: as the report counted them, and as the
-- compiler of the records used them.
CREATE VIEW counted AS
  SELECT 'by hand' AS counted, 40 AS registers
  UNION
  SELECT 'by the compiler', registers FROM timed
  WHERE name = 'cuda/naive' AND dtype = 'double' AND registers IS NOT NULL;

-- Registers are given to whole warps, in units; what is left of a group of warp_unit warps is lost.
CREATE VIEW occupancy_argument AS
  WITH edges(edge) AS (VALUES (8), (16), (32)),
  demand AS (
    SELECT *, edge * edge / 32 AS block_warps,
           (registers * 32 + unit - 1) / unit * unit AS warp_registers
    FROM devices, counted, edges),
  supply AS (
    SELECT *, all_registers / warp_registers / warp_unit * warp_unit / block_warps AS by_registers,
           most_warps / block_warps AS by_warps
    FROM demand)
  SELECT *, min(by_registers, by_warps, most_blocks) AS resident FROM supply;
