// Main memory, as far as this process may have it. Linux:
// /proc/meminfo and control groups.
#pragma once

namespace parlab {

// All of it in bytes, no more than a container or a job is given.
double memory_bytes();

// Free to use now. Cached files count as free: they are given
// up when memory is needed.
double free_memory_bytes();

}  // namespace parlab
