// Estimates what a block finds in its multiprocessor's L1 cache: data that it
// has loaded before, unless more than the cache holds came in between. Data
// loaded by other blocks is never found. NVIDIA documents neither the
// replacement policy of L1 nor how blocks share it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "places/emulation/memory.hpp"
#include "places/emulation/memory_rules.hpp"

namespace parlab::emulation {

// Counts for the blocks that one OS thread runs.
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
