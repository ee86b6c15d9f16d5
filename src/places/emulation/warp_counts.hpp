// Puts the accesses of a block's threads together to what their warps ask at
// once, and counts it for each place in the program.
//
// Threads run one after the other, from one meeting to the next. So the n-th
// time that a lane comes to a place belongs to the n-th time of the others, and
// a meeting of a warp begins anew: lanes that were elsewhere meanwhile are
// together again, as a GPU has them. Where some lanes come less often, the
// addresses tell which of the others' times theirs belong to: on a GPU lanes
// that skip a turn of a loop are back at the next one.
//
// A load of the same expression in both arms of a branch is one: nvcc has it
// before the branch.
//
// nvcc unrolls loops and joins accesses of shared memory that lie side by side,
// where it knows how they are aligned: to 16 bytes at the most (LDS.128,
// STS.128). So are they joined here when they follow each other at one place.
#pragma once

#include <boost/thread/synchronized_value.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "places/counted.hpp"
#include "places/emulation/l1_model.hpp"
#include "places/emulation/memory.hpp"
#include "places/emulation/memory_rules.hpp"
#include "places/emulation/source_lines.hpp"

namespace parlab::emulation {

inline bool reads(Access access) {
  return access == Access::global_load || access == Access::shared_load;
}

// A call that the compiler put before an access.
struct CallSite {
  const void* call = nullptr;
  Access access = Access::global_load;
  std::int64_t bytes = 0;
  bool operator==(const CallSite&) const = default;
};

// What one place in the program asked for. Sums are as in CountedLine.
struct SiteCounts {
  std::int64_t requests = 0, lanes = 0, moved = 0, fewest = 0, at_one_word = 0,
               from_l2 = 0;  // of loads
  // the most common distance, found by votes (Boyer and Moore)
  std::int64_t stride = 0, votes = 0;
  std::string array = {};
  std::array<std::int64_t, 32> first{};
  // of each array: a bit for each sector
  std::map<std::string, std::vector<bool>> touched = {};

  void add(const WarpAccess& access, Access kind, const Allocation& array);
  void add(const SiteCounts& more);
};

// Of all blocks; threads of the operating system add to it.
class Counts {
 public:
  void add(const CallSite& site, const SiteCounts& counts);
  void add(const CountedLine& barrier);
  // The sites of one line together, the costliest line first.
  std::vector<CountedLine> lines() const;

 private:
  struct Hash {
    std::size_t operator()(const CallSite& site) const {
      return std::hash<const void*>()(site.call) * 31 +
             static_cast<std::size_t>(site.access);
    }
  };
  std::unordered_map<CallSite, SiteCounts, Hash> sites_;
  std::map<std::pair<std::string, unsigned>, CountedLine> barriers_;
};
using SharedCounts = boost::synchronized_value<Counts>;

// Counts for the blocks that one thread of the operating system runs.
class WarpCounts {
 public:
  explicit WarpCounts(SharedCounts& to) : to_(to) {}
  ~WarpCounts();
  WarpCounts(const WarpCounts&) = delete;
  WarpCounts& operator=(const WarpCounts&) = delete;

  // A block of so many threads begins.
  void begin(unsigned threads);
  void add(unsigned thread, const CallSite& site, const Allocation& array,
           const void* address);
  // So many threads of a warp or a block meet at a barrier.
  void barrier(const char* file, unsigned line, std::size_t threads);
  // The lanes of that warp are together.
  void meet(unsigned warp);
  void end();  // of the block

 private:
  // Requests of a warp's lanes at one place, since they met.
  struct Pending {
    const Allocation* array = nullptr;
    WarpAccess access = {.offset = {}};
    std::uint32_t stores = 0;  // that its lanes had made
  };
  struct Queue {
    std::array<std::uint32_t, 32> times{};  // that each lane came
    std::vector<Pending> pending;           // one for each time
  };
  struct Warp {
    std::uint32_t lanes = 0;                 // that exist
    std::array<std::uint32_t, 32> stores{};  // of each, and atomics
    std::vector<Queue> queues = {};
  };
  struct OneSite {
    CallSite site;
    SiteCounts counts = {};
    std::optional<Line> line = {};
  };

  std::size_t number_of(const CallSite& site);
  bool have_one_line(std::size_t site, std::size_t other);
  void join_arms(Warp& warp);
  // The turns of a loop that g++ has unrolled are at several places of a line.
  void join_unrolled(Warp& warp);
  static bool repeats(const Pending& before, const Pending& next);
  void finish(std::size_t site, Queue& queue);
  void count(std::size_t site, const Pending& pending);

  SharedCounts& to_;
  std::vector<OneSite> sites_;
  std::unordered_map<std::uintptr_t, std::size_t> numbers_;
  // some of them, found faster
  std::array<std::pair<std::uintptr_t, std::size_t>, 256> latest_{};
  std::vector<Warp> warps_;
  // Sites of one line that were not side by side: nvcc cannot know when they
  // are.
  std::set<std::pair<std::size_t, std::size_t>> apart_;
  std::map<std::pair<const char*, unsigned>, CountedLine> barriers_;
  L1Model l1_;
};

}  // namespace parlab::emulation
