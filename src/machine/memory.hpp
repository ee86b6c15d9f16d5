// The main memory that this process may use. Linux: /proc/meminfo and control
// groups.
#pragma once

namespace parlab {

// Total memory in bytes, limited to the share of a container or a job.
double memory_bytes();

// Memory free to use now. Cached files count as free, because they are given up
// when memory is needed. Without /proc it is unknown, and all memory counts as
// free.
double free_memory_bytes();

// Number of processes that the system has killed so far to free memory; 0 if it
// does not say.
double killed_for_memory();

}  // namespace parlab
