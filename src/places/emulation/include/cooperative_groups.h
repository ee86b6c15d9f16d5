// Stand-in for the toolkit's header of this name, for emulated kernels: thread blocks and grids.
#pragma once
#include "places/emulation/cuda.hpp"

namespace cooperative_groups {

using parlab::emulation::Site;

struct thread_block {
  void sync(const Site& site = Site::current()) const { __syncthreads(site); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
};
inline thread_block this_thread_block() { return {}; }

struct grid_group {
  void sync(const Site& site = Site::current()) const {
    parlab::emulation::meet({parlab::emulation::Scope::grid, "grid barrier", site});
  }
};
inline grid_group this_grid() { return {}; }

}  // namespace cooperative_groups
