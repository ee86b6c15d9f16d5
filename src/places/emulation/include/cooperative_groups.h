// Stand-in for the toolkit's header of this name, for emulated kernels: thread
// blocks, grids, tiles and coalesced lanes.
#pragma once
#include <array>

#include "places/emulation/runtime.hpp"

namespace cooperative_groups {

using parlab::emulation::Site;

struct thread_block {
  static void sync(PARLAB_SITE) { __syncthreads(site); }
  static void barrier_arrive() {
    parlab::emulation::lacks("barrier_arrive() of a group");
  }
  static void barrier_wait() {
    parlab::emulation::lacks("barrier_wait() of a group");
  }
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
// Memory that tiles of several warps need on a GPU.
template <unsigned threads = 1024>
struct block_tile_memory {
  char data[threads / 32 * 16 + 16];
};
template <unsigned threads>
thread_block this_thread_block(block_tile_memory<threads>&) {
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

// Some lanes of a warp, ranked in order.
class lanes_of_warp {
 public:
  explicit lanes_of_warp(unsigned mask) : mask_(mask) {}

  static constexpr bool is_valid() { return true; }
  unsigned mask() const { return mask_; }

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
  // Outside the group a lane gets its own value.
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
    return ranked(__ballot_sync(mask_, predicate, site));
  }
  template <typename T>
  unsigned match_any(T value, PARLAB_SITE) const {
    return ranked(__match_any_sync(mask_, value, site));
  }
  template <typename T>
  unsigned match_all(T value, int& all_same, PARLAB_SITE) const {
    const unsigned same = __match_any_sync(mask_, value, site);
    all_same = __all_sync(mask_, same == mask_, site);
    return all_same ? ranked(mask_) : 0;
  }

 private:
  // Converts bits by lane to bits by rank.
  unsigned ranked(unsigned lanes) const {
    unsigned ranks = 0;
    for (unsigned rank = 0; rank < size(); ++rank)
      ranks |= (lanes >> lane_of(rank) & 1) << rank;
    return ranks;
  }
  static int own_lane() { return parlab::emulation::lane_index(); }
  int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    for (; rank > 0; --rank)
      rest &= rest - 1;
    return std::countr_zero(rest);
  }
  unsigned mask_;
};

using coalesced_group = lanes_of_warp;
inline coalesced_group coalesced_threads(PARLAB_SITE) {
  return coalesced_group(__activemask(site));
}

// thread_rank() / extent is the number of a thread's tile in its block.
inline unsigned mask_of_tile(unsigned extent) {
  const unsigned first = thread_block::thread_rank() % 32 / extent * extent;
  return ~0u >> (32 - extent) << first;
}

template <unsigned extent, typename Parent = void>
struct thread_block_tile;

template <unsigned extent, typename Parent>
requires(extent <= 32) struct thread_block_tile<extent, Parent>
    : lanes_of_warp {
  static_assert(std::has_single_bit(extent), "a power of two");
  thread_block_tile() : lanes_of_warp(mask_of_tile(extent)) {}
  template <typename Other>
  thread_block_tile(const thread_block_tile<extent, Other>&)
      : thread_block_tile() {}
  static constexpr unsigned num_threads() { return extent; }
  static constexpr unsigned size() { return extent; }
  static unsigned thread_rank() { return thread_block::thread_rank() % extent; }
};

// A tile of several warps. It shuffles by rank, votes, and has a barrier.
template <unsigned extent, typename Parent>
requires(extent > 32) struct thread_block_tile<extent, Parent> {
  static_assert(std::has_single_bit(extent) && extent <= 1024,
                "a power of two up to 1024");
  thread_block_tile() = default;
  template <typename Other>
  thread_block_tile(const thread_block_tile<extent, Other>&) {}
  static constexpr unsigned num_threads() { return extent; }
  static constexpr unsigned size() { return extent; }
  static unsigned thread_rank() { return thread_block::thread_rank() % extent; }
  static unsigned meta_group_size() {
    return (thread_block::size() + extent - 1) / extent;
  }
  static unsigned meta_group_rank() {
    return thread_block::thread_rank() / extent;
  }
  void sync(PARLAB_SITE) const { meet("sync of a tile", site, 0, -1); }
  template <typename T>
  T shfl(T value, unsigned rank, PARLAB_SITE) const {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = meet("shfl of a tile", site, bits, static_cast<int>(rank % extent));
    __builtin_memcpy(&value, &bits, sizeof(T));
    return value;
  }
  int any(int predicate, PARLAB_SITE) const {
    return meet("any of a tile", site, predicate != 0, -1) != 0;
  }
  int all(int predicate, PARLAB_SITE) const {
    return meet("all of a tile", site, predicate == 0, -1) == 0;
  }

 private:
  static std::uint64_t meet(const char* what, const Site& site,
                            std::uint64_t value, int source) {
    return parlab::emulation::meet({.scope = parlab::emulation::Scope::tile,
                                    .operation = what,
                                    .site = site,
                                    .value = value,
                                    .source = source,
                                    .tile = extent});
  }
};

// Any group by its general type: a block, or lanes of a warp.
class thread_group {
 public:
  thread_group(const thread_block&) : lanes_(~0u), is_block_(true) {}
  thread_group(const lanes_of_warp& lanes) : lanes_(lanes), is_block_(false) {}

  void sync(PARLAB_SITE) const {
    if (is_block_)
      __syncthreads(site);
    else
      lanes_.sync(site);
  }
  unsigned num_threads() const {
    return is_block_ ? thread_block::num_threads() : lanes_.num_threads();
  }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return is_block_ ? thread_block::thread_rank() : lanes_.thread_rank();
  }
  static constexpr bool is_valid() { return true; }
  bool is_block() const { return is_block_; }
  const lanes_of_warp& lanes() const { return lanes_; }

 private:
  lanes_of_warp lanes_;
  bool is_block_;
};

// group: a block or a larger tile.
template <unsigned extent, typename Group>
thread_block_tile<extent, Group> tiled_partition(const Group&) {
  return {};
}
inline thread_group tiled_partition(const thread_group& group,
                                    unsigned extent) {
  const unsigned tile = mask_of_tile(extent);
  return lanes_of_warp(group.is_block() ? tile : tile & group.lanes().mask());
}
inline lanes_of_warp tiled_partition(const thread_block&, unsigned extent) {
  return lanes_of_warp(mask_of_tile(extent));
}
// The lanes of the group with the same label.
template <typename Label>
coalesced_group labeled_partition(const lanes_of_warp& group, Label label,
                                  PARLAB_SITE) {
  return coalesced_group(__match_any_sync(group.mask(), label, site));
}
inline coalesced_group binary_partition(const lanes_of_warp& group, bool label,
                                        PARLAB_SITE) {
  return labeled_partition(group, int{label}, site);
}

template <typename Group>
void sync(const Group& group, PARLAB_SITE) {
  group.sync(site);
}
template <typename Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
auto group_size(const Group& group) {
  return group.size();
}
template <typename Group, typename F, typename... A>
void invoke_one(const Group& group, F&& f, A&&... arguments) {
  if (group.thread_rank() == 0)
    std::forward<F>(f)(std::forward<A>(arguments)...);
}

// This thread's part in an asynchronous copy that a group makes together.
template <typename Group>
void copy_together(const Group& group, void* to, const void* from,
                   std::size_t bytes) {
  const std::size_t piece = bytes % 16 == 0 ? 16 : bytes % 4 == 0 ? 4 : 1;
  for (std::size_t at = group.thread_rank() * piece; at < bytes;
       at += group.size() * piece) {
    parlab::emulation::copy_async(static_cast<char*>(to) + at,
                                  static_cast<const char*>(from) + at, piece,
                                  0);
  }
}

}  // namespace cooperative_groups
