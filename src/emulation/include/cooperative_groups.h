// Stand-in for the toolkit's header of this name, for emulated kernels: thread blocks, grids and
// tiles of a warp.
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

// Size lanes of a warp, next to each other.
template <unsigned Size, typename Parent = thread_block>
struct thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "1, 2, 4, 8, 16 or 32 lanes");

  void sync(const Site& site = Site::current()) const { __syncwarp(mask(), site); }
  static constexpr unsigned size() { return Size; }
  static unsigned thread_rank() { return thread_block::thread_rank() % Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  template <typename T>
  T shfl(T value, int lane, const Site& site = Site::current()) const {
    return __shfl_sync(mask(), value, lane, Size, site);
  }
  template <typename T>
  T shfl_down(T value, unsigned delta, const Site& site = Site::current()) const {
    return __shfl_down_sync(mask(), value, delta, Size, site);
  }
  template <typename T>
  T shfl_up(T value, unsigned delta, const Site& site = Site::current()) const {
    return __shfl_up_sync(mask(), value, delta, Size, site);
  }
  template <typename T>
  T shfl_xor(T value, int lanes, const Site& site = Site::current()) const {
    return __shfl_xor_sync(mask(), value, lanes, Size, site);
  }

 private:
  static unsigned mask() {
    return (0xffffffffu >> (32 - Size)) << (thread_block::thread_rank() % 32 / Size * Size);
  }
};
template <unsigned Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

}  // namespace cooperative_groups
