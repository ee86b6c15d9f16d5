-- Views for the figures of input-power. One row of records is one measurement.

-- Verified and timed, caches warm. A line of the figures is a variant and its arithmetic.
CREATE VIEW timed AS
  SELECT *, workload || ' ' || CASE arithmetic WHEN 'tf32' THEN 'TF32' ELSE dtype END || ' ' || backend
            || '/' || variant AS name,
         coalesce(n, cols) AS side,
         CASE inputs WHEN 'zeros' THEN 1 WHEN 'ones' THEN 2 WHEN 'sparse' THEN 3 WHEN 'whole' THEN 4
                     WHEN 'uniform' THEN 5 WHEN 'normal' THEN 6 ELSE 7 END AS place
  FROM all_records WHERE verdict = 'passed' AND median_s IS NOT NULL AND cache = 'hot';

-- At its largest size; SQLite takes bare columns from the row of the min.
CREATE VIEW largest AS
  SELECT *, min(median_s) AS time_s
  FROM timed t JOIN (SELECT name, max(flops) AS flops FROM timed GROUP BY name) USING (name, flops)
  GROUP BY name, inputs;

-- Compared with uniform numbers: times as fast. steady: during the measurement of energy, when one execution
-- follows another directly. This takes more power than samples do, between which inputs are written again.
CREATE VIEW compared AS
  SELECT l.*, ratio(u.median_s, u.log_variance, u.freedom, l.median_s, l.log_variance, l.freedom) AS times,
         CASE WHEN l.inputs <> 'uniform'
           THEN ratio_low(u.median_s, u.log_variance, u.freedom, l.median_s, l.log_variance, l.freedom)
           END AS times_low,
         CASE WHEN l.inputs <> 'uniform'
           THEN ratio_high(u.median_s, u.log_variance, u.freedom, l.median_s, l.log_variance, l.freedom)
           END AS times_high,
         1.0 * u.energy_j * l.power_w / (u.power_w * l.energy_j) AS times_steady,
         1.0 * l.flops * l.power_w / l.energy_j AS steady_flops_per_s
  FROM largest l LEFT JOIN (SELECT * FROM largest WHERE inputs = 'uniform') u USING (name);

-- The most that each variant gains, and the most that it loses.
CREATE VIEW extremes AS
  SELECT f.name, f.side, f.on_gpu, f.inputs AS fastest, f.times AS most, f.times_low, f.times_high,
         s.inputs AS slowest, s.times AS least
  FROM (SELECT *, max(times) FROM compared WHERE inputs <> 'uniform' GROUP BY name) f
  JOIN (SELECT *, min(times) FROM compared WHERE inputs <> 'uniform' GROUP BY name) s USING (name);
