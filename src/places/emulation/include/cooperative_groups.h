// Stand-in for the toolkit's header of this name, for emulated kernels: thread
// blocks, grids, tiles and the lanes that come together.
#pragma once
#include "places/emulation/cuda.hpp"

namespace cooperative_groups {

using parlab::emulation::Site;

struct thread_block {
  static void sync(PARLAB_SITE) { __syncthreads(site); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
};
inline thread_block this_thread_block() {
  return {};
}

struct grid_group {
  static void sync(PARLAB_SITE) {
    parlab::emulation::meet(
        {parlab::emulation::Scope::grid, "grid barrier", site});
  }
  static bool is_valid() { return true; }
  static unsigned long long num_blocks() {
    return 1ull * gridDim.x * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static unsigned long long num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() +
           thread_block::thread_rank();
  }
};
inline grid_group this_grid() {
  return {};
}

// Some lanes of a warp, ranked in their order.
class lanes_of_warp {
 public:
  explicit lanes_of_warp(unsigned mask) : mask_(mask) {}

  unsigned num_threads() const {
    return static_cast<unsigned>(std::popcount(mask_));
  }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return static_cast<unsigned>(
        std::popcount(mask_ & ((1u << own_lane()) - 1)));
  }
  unsigned meta_group_size() const {
    return (thread_block::size() + size() - 1) / size();
  }
  unsigned meta_group_rank() const {
    return thread_block::thread_rank() / size();
  }

  void sync(PARLAB_SITE) const { __syncwarp(mask_, site); }
  // Beyond the group a lane gets its own value.
  template <typename T>
  T shfl(T value, unsigned rank, PARLAB_SITE) const {
    return __shfl_sync(mask_, value, lane_of(rank % size()), 32, site);
  }
  template <typename T>
  T shfl_down(T value, unsigned by, PARLAB_SITE) const {
    const unsigned rank = thread_rank() + by;
    return shfl(value, rank < size() ? rank : thread_rank(), site);
  }
  template <typename T>
  T shfl_up(T value, unsigned by, PARLAB_SITE) const {
    return shfl(value, by <= thread_rank() ? thread_rank() - by : thread_rank(),
                site);
  }
  template <typename T>
  T shfl_xor(T value, unsigned by, PARLAB_SITE) const {
    return shfl(value, thread_rank() ^ by, site);
  }
  int any(int predicate, PARLAB_SITE) const {
    return __any_sync(mask_, predicate, site);
  }
  int all(int predicate, PARLAB_SITE) const {
    return __all_sync(mask_, predicate, site);
  }
  unsigned ballot(int predicate, PARLAB_SITE) const {
    const unsigned votes = __ballot_sync(mask_, predicate, site);
    unsigned ranked = 0;
    for (unsigned rank = 0; rank < size(); ++rank) {
      ranked |= (votes >> lane_of(rank) & 1) << rank;
    }
    return ranked;
  }

 private:
  static int own_lane() { return parlab::emulation::lane_index(); }
  int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    for (; rank > 0; --rank)
      rest &= rest - 1;
    return std::countr_zero(rest);
  }
  unsigned mask_;
};

// thread_rank() / extent says which tile of its block a thread is in.
class thread_group : public lanes_of_warp {
 public:
  explicit thread_group(unsigned extent) : lanes_of_warp(mask_of(extent)) {}

 private:
  static unsigned mask_of(unsigned extent) {
    const unsigned first = thread_block::thread_rank() % 32 / extent * extent;
    return ~0u >> (32 - extent) << first;
  }
};

template <unsigned extent, typename Parent = void>
struct thread_block_tile : thread_group {
  static_assert(std::has_single_bit(extent) && extent <= 32,
                "1, 2, 4, 8, 16 or 32 threads");
  thread_block_tile() : thread_group(extent) {}
};

// group: a block or a larger tile.
template <unsigned extent, typename Group>
thread_block_tile<extent, Group> tiled_partition(const Group&) {
  return {};
}
inline thread_group tiled_partition(const thread_block&, unsigned extent) {
  return thread_group(extent);
}

using coalesced_group = lanes_of_warp;
inline coalesced_group coalesced_threads(PARLAB_SITE) {
  return coalesced_group(__activemask(site));
}

template <typename Group>
void sync(const Group& group, PARLAB_SITE) {
  group.sync(site);
}
template <typename Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}

}  // namespace cooperative_groups
