-- Scaling, the links, and from which size further GPUs pay.

-- note: Times are from the moment when all GPUs may start until the last is done. 95 %: the interval of our
-- median, and of the ratio. Apart: from the first GPU to finish to the last. In transfers: a GPU's share of
-- the time, in which it may also compute.

-- table: Strong scaling: the same problem on more GPUs, caches hot and cold
SELECT cache AS caches, name, size, gpus, median_s AS 'time [s]', low_s AS low, high_s AS high,
       gained AS 'over one GPU [x]', gained_low AS low, gained_high AS high,
       efficiency / 100.0 AS 'efficiency [1]', moving_percent / 100.0 AS 'in transfers [1]',
       apart_s AS 'apart [s]', roof_percent / 100.0 AS 'of roof [1]'
FROM scaling ORDER BY cache DESC, name, side, gpus;

-- table: From which size further GPUs pay: from there on they are faster than the same variant on one GPU by
-- more than the interval, if there is one (empty: at no size here); and the lowest speed of several GPUs
-- compared with one
SELECT name, gpus, from_side AS 'from', from_bytes AS 'size [B]', least_gained AS 'least over one GPU [x]'
FROM pays ORDER BY name, gpus;

-- table: Compared with the fastest variant on one GPU for the same problem, hot
SELECT name, size, gpus, median_s AS 'time [s]', alone AS 'on one GPU', alone_s AS 'its time [s]',
       over_alone AS 'times as fast [x]', over_alone_low AS low, over_alone_high AS high
FROM against_alone ORDER BY name, side, gpus;

-- table: Targets for several GPUs, and what they reach (open: the samples cannot tell)
SELECT name, side, gpus, wanted AS 'over one GPU, wanted [x]', gained AS 'measured [x]',
       gained_low AS low, gained_high AS high, outcome
FROM targets WHERE gained IS NOT NULL ORDER BY name, side, gpus;

-- table: Weak scaling: 8192 rows per GPU, caches hot
SELECT name, gpus, size, median_s AS 'time [s]', efficiency / 100.0 AS 'efficiency [1]',
       efficiency_low / 100.0 AS low, efficiency_high / 100.0 AS high, apart_s AS 'apart [s]'
FROM weak ORDER BY name, gpus;

-- table: The links between the GPUs: a copy of 1 GiB, and an all-reduce of 1 GiB
SELECT gpu, substr(gpu_uuid, 5, 8) AS UUID, one_way AS 'one way [B/s]', both_ways AS 'both ways [B/s]',
       over_2 AS 'all-reduce over 2 [B/s]', over_4 AS 'over 4 [B/s]', over_8 AS 'over 8 [B/s]'
FROM links;
