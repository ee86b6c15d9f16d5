// Main memory, as far as this process may have it. Linux:
// /proc/meminfo and control groups.
#pragma once

namespace parlab {

// All of it in bytes, no more than a container or a job is given.
double memory_bytes();

// Free to use now. Cached files count as free: they are given
// up when memory is needed. Without /proc all there is: it is not known.
double free_memory_bytes();

// How many processes the system has ended so far to have memory again; 0 where
// it does not say.
double killed_for_memory();

}  // namespace parlab
