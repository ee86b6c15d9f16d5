// How a GPU serves the accesses of a warp at one instruction. Sources: NVIDIA,
// CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" and
// "Shared Memory and Memory Banks"; for the meaning of request, sector and
// wavefront, Nsight Compute, "Memory Tables". The rule of pairs was found on an
// H100 with 216 patterns of addresses under Nsight Compute.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "places/emulation/memory.hpp"

namespace parlab::emulation {

constexpr unsigned warp_lanes = 32;
constexpr std::int64_t sector_bytes = 32;           // of global memory
constexpr std::int64_t banks = 32, bank_bytes = 4;  // of shared memory

// The accesses of a warp's lanes at once, as byte offsets from the start of an
// array.
struct WarpAccess {
  std::uint32_t lanes = 0;  // those that take part
  std::array<std::uint32_t, 32> offset;
  std::int64_t bytes = 0;  // per lane

  int count() const { return std::popcount(lanes); }
};

// calls f(lane) for those of some lanes that take part
template <typename F>
void for_each_lane(const WarpAccess& access, F f, std::uint32_t among = ~0u) {
  for (auto left = access.lanes & among; left != 0; left &= left - 1)
    f(static_cast<std::size_t>(std::countr_zero(left)));
}

// calls f(distance) from each lane to its neighbour
template <typename F>
void for_each_distance(const WarpAccess& access, F f) {
  for (auto left = access.lanes & access.lanes >> 1; left != 0;
       left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    f(std::int64_t{access.offset[lane + 1]} - access.offset[lane]);
  }
}

// Up to `most` distinct numbers, in the order in which they came.
template <std::size_t most>
class DistinctNumbers {
 public:
  // Whether the number is new. Neighbours are mostly equal or increasing.
  bool add(std::uint32_t number) {
    if (count_ > 0 && number <= highest_ &&
        (number == *(end() - 1) || std::find(begin(), end(), number) != end()))
      return false;
    numbers_[static_cast<std::size_t>(count_++)] = number;
    highest_ = std::max(highest_, number);
    return true;
  }
  const std::uint32_t* begin() const { return numbers_.data(); }
  const std::uint32_t* end() const { return begin() + count_; }
  std::int64_t count() const { return count_; }

 private:
  std::array<std::uint32_t, most> numbers_;
  std::uint32_t highest_ = 0;
  std::int64_t count_ = 0;
};

// The distinct sectors of global memory that a warp touches, in the order of
// its lanes. Lanes access at most 16 bytes, which are in at most two sectors.
struct Sectors : DistinctNumbers<2 * warp_lanes> {
  Sectors() = default;
  explicit Sectors(const WarpAccess& access);
};
// Whether these lanes touch the same sectors, each as before.
bool have_same_sectors(const WarpAccess& before, const WarpAccess& next);
// Whether all lanes have moved by one distance, in whole words. Then the
// wavefronts, the smallest numbers and most_at_one_word() are as before.
bool move_alike(const WarpAccess& before, const WarpAccess& next);
// The smallest number of sectors that this many lanes can touch, each at its
// own address.
std::int64_t fewest_sectors(const WarpAccess& access);
// Passes over the banks. Lanes at the same word share a pass. For accesses of 8
// bytes the two halves of a warp are served one after the other, for 16 bytes
// the quarters. Loads serve twice as many lanes at once if the two lanes of
// each pair have one address: lane i and the next one, or lane i and the one
// after that.
std::int64_t wavefronts(const WarpAccess& access, bool is_load);
std::int64_t fewest_wavefronts(const WarpAccess& access);
// Number of lanes at the word where most of them meet.
std::int64_t most_at_one_word(const WarpAccess& access);

// Estimates what a block finds in its multiprocessor's L1 cache: data that it
// has loaded before, unless more than the cache holds came in between. Data
// loaded by other blocks is never found. NVIDIA documents neither the
// replacement policy of L1 nor how blocks share it. Counts for the blocks that
// one OS thread runs.
class L1Model {
 public:
  void begin_block() { brought_ += held; }

  // Sectors loaded so far.
  std::uint32_t brought() const { return brought_; }

  // The number of these sectors of an array that come from L2.
  std::int64_t misses(const Sectors& sectors, const Allocation& array) {
    if (latest_ != &array) {
      latest_ = &array;
      latest_when_ = &when_[&array];
      latest_when_->resize(array.bytes / sector_bytes + 1);
    }
    std::int64_t missed = 0;
    for (const auto sector : sectors) {
      auto& before = (*latest_when_)[sector];
      if (before != 0 && brought_ - before < held) continue;
      before = ++brought_;
      ++missed;
    }
    return missed;
  }

 private:
  // In sectors: half of the 256 KB of an H100; the rest is shared memory and
  // belongs to other blocks.
  static constexpr std::uint32_t held = 128 * 1024 / sector_bytes;

  std::uint32_t brought_ = 0;
  // when each sector was last loaded, as its number in that order; 0: never
  std::unordered_map<const Allocation*, std::vector<std::uint32_t>> when_;
  const Allocation* latest_ = nullptr;  // entry of when_ used last
  std::vector<std::uint32_t>* latest_when_ = nullptr;
};

}  // namespace parlab::emulation
