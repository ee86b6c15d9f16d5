-- How much the inputs change the speed, the clock and the power.

-- note: Inputs are zeros, ones, sparse (one in ten is not zero), whole (from -8 to 8), uniform (from -1 to 1),
-- normal, and spread (exponents far apart). Clocks are those of the samples. Watts and the steady rate are those of
-- half a second in which one execution followed another directly. Blank: the device does not report it.

-- table: How much the inputs matter: the fastest and the slowest kind for each variant, compared with uniform numbers
SELECT name AS variant, side AS n, fastest, most AS 'as fast as on uniform [x]', times_low AS low,
       times_high AS high, slowest, least AS 'slowest [x]'
FROM extremes ORDER BY most DESC;

-- table: Every kind of inputs
SELECT name AS variant, side AS n, inputs, median_s AS 'time [s]', low_s AS low, high_s AS high,
       gflops * 1e9 AS 'rate [flop/s]', times AS 'as fast as on uniform [x]', times_low AS low, times_high AS high
FROM compared ORDER BY flops / bytes DESC, name, place;

-- table: Clocks and watts, if the device reports them
SELECT name AS variant, side AS n, inputs, clock_hz / 1e9 AS 'clock, GHz', power_w AS 'power [W]',
       idle_w AS 'at rest [W]', energy_j AS 'energy [J]', steady_flops_per_s AS 'steady rate [flop/s]',
       times_steady AS 'as fast as on uniform, steadily [x]'
FROM compared WHERE clock_hz IS NOT NULL OR power_w IS NOT NULL ORDER BY flops / bytes DESC, name, place;
