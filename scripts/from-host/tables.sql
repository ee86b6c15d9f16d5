-- The ways of transfer side by side, and from which size each pays.

-- note: Times from host memory and back to it, with copies of pageable and of pinned memory before and after
-- the kernel, or while it computes (overlapped). Alone: the kernel without copies. Over kernel or copies: the
-- overlapped time over the longest of kernel, copy to and copy from; it is below 1 if copies were slower when
-- measured alone. Of roof: share of the limit that the link or the work sets.

-- table: The ways side by side, caches hot
SELECT name, bytes AS 'size [B]', kernel AS 'fastest kernel', kernel_s AS 'alone [s]',
       pageable_s AS 'pageable [s]', pinned_s AS 'pinned [s]', overlapped_s AS 'overlapped [s]',
       roof_percent / 100.0 AS 'of roof [1]', over_larger AS 'over kernel or copies [x]',
       cpu_s AS 'best CPU [s]', tunables
FROM ways ORDER BY name, bytes;

-- table: The size from which on each way is faster than the CPU at all sizes
SELECT name, pageable_bytes AS 'pageable [B]', pinned_bytes AS 'pinned [B]',
       overlapped_bytes AS 'overlapped [B]'
FROM pays ORDER BY name;
