-- The ways of the data side by side, and from which size each pays.

-- note: Times from host memory and back to it: copies of pageable and of pinned memory before and after the
-- kernel, and under it; alone: the kernel without copies; over kernel or copies: overlapped, over the longest
-- of kernel, copy to and copy from, below 1 where copies were slower when measured alone; of roof: the link's,
-- or that of the work.

-- table: The ways side by side, caches hot
SELECT name, bytes AS 'size [B]', kernel AS 'fastest kernel', kernel_s AS 'alone [s]',
       pageable_s AS 'pageable [s]', pinned_s AS 'pinned [s]', overlapped_s AS 'overlapped [s]',
       roof_percent / 100 AS 'of roof [1]', over_larger AS 'over kernel or copies [x]',
       cpu_s AS 'best CPU [s]', tunables
FROM ways ORDER BY name, bytes;

-- table: From which size on each way is faster than the CPU, there and at all larger sizes
SELECT name, pageable_bytes AS 'pageable [B]', pinned_bytes AS 'pinned [B]',
       overlapped_bytes AS 'overlapped [B]'
FROM pays ORDER BY name;
