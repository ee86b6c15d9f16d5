// Stand-in for the toolkit's header of this name, for emulated kernels: thread blocks and grids.
#pragma once
#include "emulation/cuda.hpp"

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
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long block_rank() {
    return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
};
inline grid_group this_grid() { return {}; }

}  // namespace cooperative_groups
