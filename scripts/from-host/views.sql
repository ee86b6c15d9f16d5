-- Views for the figures of from-host. One row of records is one measurement.

CREATE VIEW timed AS
  SELECT *, workload || '/' || dtype AS name
  FROM records WHERE verdict = 'passed' AND median_s IS NOT NULL AND cache = 'hot';

-- The fastest kernel at each size, and the copies before and after it, whose times do not depend on the
-- kernel; SQLite takes bare columns from the row of the min. A size is given by the bytes to move and
-- the operations to do. Reduced precision is not compared with the others.
CREATE VIEW kernels AS
  SELECT *, min(median_s) AS kernel_s FROM timed
  WHERE on_gpu AND NOT from_host AND arithmetic = 'ieee' GROUP BY name, bytes, flops;
CREATE VIEW copies AS
  SELECT name, bytes, flops, min(to_device_s) + min(to_host_s) AS pageable_s,
         min(to_device_pinned_s) AS to_device_s, min(to_host_pinned_s) AS to_host_s
  FROM timed WHERE on_gpu AND NOT from_host GROUP BY name, bytes, flops;
CREATE VIEW overlapped AS
  SELECT *, min(median_s) AS time_s FROM timed WHERE from_host GROUP BY name, bytes, flops;
CREATE VIEW on_cpu AS
  SELECT *, min(median_s) AS time_s FROM timed WHERE NOT on_gpu GROUP BY name, bytes, flops;

-- Side by side. over_larger: the overlapped time over the longest of its kernel and its copies when measured
-- alone.
CREATE VIEW ways AS
  SELECT o.name, o.bytes, o.flops, o.tunables, o.time_s AS overlapped_s, o.low_s, o.high_s,
         o.roof_percent, k.kernel_s + m.to_device_s + m.to_host_s AS pinned_s,
         k.kernel_s + m.pageable_s AS pageable_s, c.time_s AS cpu_s,
         k.kernel_s, k.backend || '/' || k.variant AS kernel,
         o.time_s / max(k.kernel_s, m.to_device_s, m.to_host_s) AS over_larger
  FROM overlapped o
  LEFT JOIN kernels k USING (name, bytes, flops)
  LEFT JOIN copies m USING (name, bytes, flops)
  LEFT JOIN on_cpu c USING (name, bytes, flops);

-- The size from which on each way is faster than the CPU at all sizes; NULL: at none.
CREATE VIEW pays AS
  SELECT name,
         min(bytes) FILTER (WHERE bytes > pageable_loses) AS pageable_bytes,
         min(bytes) FILTER (WHERE bytes > pinned_loses) AS pinned_bytes,
         min(bytes) FILTER (WHERE bytes > overlapped_loses) AS overlapped_bytes
  FROM (SELECT *,
               coalesce(max(bytes) FILTER (WHERE coalesce(pageable_s, 9e9) >= cpu_s) OVER (PARTITION BY name), 0)
                 AS pageable_loses,
               coalesce(max(bytes) FILTER (WHERE coalesce(pinned_s, 9e9) >= cpu_s) OVER (PARTITION BY name), 0)
                 AS pinned_loses,
               coalesce(max(bytes) FILTER (WHERE overlapped_s >= cpu_s) OVER (PARTITION BY name), 0)
                 AS overlapped_loses
        FROM ways WHERE cpu_s IS NOT NULL)
  GROUP BY name;
