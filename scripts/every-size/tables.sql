-- Where the last rungs fall behind the libraries, and behind the roof.

-- note: Our fastest measured variant, compared with the fastest library on the same device, caches hot; 95 %:
-- interval of the ratio; kind: the dtype, and other arithmetic than usual.

-- table: The three sizes and shapes of each workload that are slowest compared with the library
SELECT workload, kind, size, name AS ours, peer AS library, time_s AS 'time [s]',
       times AS 'of the library [x]', times_low AS low, times_high AS high,
       roof_percent / 100.0 AS 'of roof [1]', peer_percent / 100.0 AS 'library of roof [1]'
FROM worst WHERE place <= 3 ORDER BY workload, dtype DESC, kind, place;

-- table: Of all sizes and shapes, how many are faster or slower by more than the interval
SELECT workload, kind, count(*) AS sizes, sum(times_low > 1) AS faster, sum(times_high < 1) AS slower,
       min(times) AS 'least [x]', max(times) AS 'most [x]'
FROM compared WHERE times IS NOT NULL GROUP BY workload, kind ORDER BY workload, dtype DESC, kind;

-- table: The three of each workload that are farthest from the limit, at 256 MiB and more
SELECT workload, kind, size, name AS ours, peer AS library, time_s AS 'time [s]',
       times AS 'of the library [x]', times_low AS low, times_high AS high,
       roof_percent / 100.0 AS 'of roof [1]', peer_percent / 100.0 AS 'library of roof [1]'
FROM (SELECT *, row_number() OVER (PARTITION BY workload, kind ORDER BY roof_percent) AS row
      FROM compared WHERE bytes >= 256 << 20 AND roof_percent IS NOT NULL)
WHERE row <= 3 ORDER BY workload, dtype DESC, kind, row;

-- table: All sizes and shapes
SELECT workload, kind, size, name AS ours, peer AS library, time_s AS 'time [s]',
       times AS 'of the library [x]', times_low AS low, times_high AS high,
       roof_percent / 100.0 AS 'of roof [1]', peer_percent / 100.0 AS 'library of roof [1]'
FROM compared ORDER BY workload, dtype DESC, kind, high * across, high;
