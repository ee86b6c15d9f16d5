// Stand-in for the toolkit's header of this name, for emulated kernels: thread blocks, grids, tiles
// of a warp and coalesced threads.
#pragma once
#include "emulation/cuda.hpp"

namespace cooperative_groups {

using parlab::emulation::Site;

class grid_group {
 public:
  void sync(const Site& site = Site::current()) const { parlab::emulation::grid_barrier(site); }
  unsigned long long size() const { return num_blocks() * (blockDim.x * blockDim.y * blockDim.z); }
  unsigned long long num_threads() const { return size(); }
  unsigned long long num_blocks() const { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  unsigned long long block_rank() const {
    return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  unsigned long long thread_rank() const {
    return block_rank() * (blockDim.x * blockDim.y * blockDim.z) +
           (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  bool is_valid() const { return true; }
  dim3 group_dim() const { return gridDim; }
};
inline grid_group this_grid() { return {}; }

class thread_block {
 public:
  void sync(const Site& site = Site::current()) const { __syncthreads(site); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

// Size lanes of a warp, next to each other.
template <unsigned Size, typename Parent = thread_block>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "1, 2, 4, 8, 16 or 32 lanes");

 public:
  void sync(const Site& site = Site::current()) const { __syncwarp(mask(), site); }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned thread_rank() { return parlab::emulation::lane_index() % Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }
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
  int any(int predicate, const Site& site = Site::current()) const {
    return __any_sync(mask(), predicate, site);
  }
  int all(int predicate, const Site& site = Site::current()) const {
    return __all_sync(mask(), predicate, site);
  }
  unsigned ballot(int predicate, const Site& site = Site::current()) const {
    return __ballot_sync(mask(), predicate, site) >> first();
  }

 private:
  static unsigned first() { return parlab::emulation::lane_index() / Size * Size; }
  static unsigned mask() { return (0xffffffffu >> (32 - Size)) << first(); }
};
template <unsigned Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

// The threads of a warp that reached this line together.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned mask) : mask_(mask) {}
  void sync(const Site& site = Site::current()) const { __syncwarp(mask_, site); }
  unsigned size() const { return std::popcount(mask_); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return std::popcount(mask_ & ((1u << parlab::emulation::lane_index()) - 1));
  }
  template <typename T>
  T shfl(T value, unsigned rank, const Site& site = Site::current()) const {
    unsigned rest = mask_;
    for (unsigned i = 0; i < rank % size(); ++i) rest &= rest - 1;
    return __shfl_sync(mask_, value, std::countr_zero(rest), 32, site);
  }

 private:
  unsigned mask_;
};
inline coalesced_group coalesced_threads(const Site& site = Site::current()) {
  return coalesced_group(__activemask(site));
}

template <typename Group>
void sync(const Group& group, const Site& site = Site::current()) {
  group.sync(site);
}

}  // namespace cooperative_groups
