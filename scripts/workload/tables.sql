-- The fastest of each device at each size, and every variant.

-- note: All variants at their defaults; times of one execution with their 95 % intervals; of limit: share
-- of the time of the bytes or operations at the measured rate; of library: of the fastest on the same device.

-- table: The fastest on the CPU and on the GPU
SELECT dtype, cache, size, CASE on_gpu WHEN 1 THEN 'GPU' ELSE 'CPU' END AS device, n AS 'to move [B]', name AS fastest,
       min(time_s) AS 'time [s]', low_s AS low, high_s AS high, gbytes_per_s * 1e9 AS 'rate [B/s]',
       roof_percent / 100.0 AS 'of limit [1]', speedup AS 'speedup over serial [x]'
FROM every GROUP BY dtype, cache, on_gpu, n ORDER BY dtype, cache DESC, on_gpu, n;

-- table: All variants
SELECT dtype, cache, size, n AS 'to move [B]', name AS variant, time_s AS 'time [s]', low_s AS low, high_s AS high,
       gbytes_per_s * 1e9 AS 'rate [B/s]', roof_percent / 100.0 AS 'of limit [1]', speedup AS 'speedup [x]',
       times AS 'of library [x]', times_low AS low, times_high AS high
FROM ladder ORDER BY dtype, cache DESC, n, on_gpu, time_s DESC;
