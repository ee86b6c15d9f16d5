// Stand-in for the toolkit's header of this name, for emulated kernels. A copy
// takes place when its group is waited for, so that a missing wait is found.
#pragma once
#include "places/emulation/cuda.hpp"

inline void __pipeline_memcpy_async(void* shared, const void* global,
                                    std::size_t bytes,
                                    std::size_t zero_fill = 0) {
  parlab::emulation::copy_async(shared, global, bytes, zero_fill);
}
inline void __pipeline_commit() {
  parlab::emulation::commit_copies();
}
inline void __pipeline_wait_prior(unsigned groups_in_flight) {
  parlab::emulation::wait_copies(groups_in_flight);
}
