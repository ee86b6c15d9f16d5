// Combines the accesses of a block's threads into requests of their warps,
// and counts them for each place in the program.
//
// Threads run one after the other, from one meeting to the next. So a lane's
// n-th access at a place belongs to the n-th access of the others. A meeting of
// a warp starts the count anew, because lanes that took different branches are
// together again, as on a GPU. Where some lanes come less often, the addresses
// tell which of the others' accesses theirs belong to. On a GPU, lanes that
// skip an iteration of a loop are back at the next one.
//
// A load of the same expression in both arms of a branch counts once, because
// nvcc moves it before the branch.
//
// nvcc unrolls loops and joins neighbouring accesses of shared memory whose
// alignment it knows, up to 16 bytes (LDS.128, STS.128). They are joined here,
// too, if they follow each other at one place.
#pragma once

#include <boost/thread/synchronized_value.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "places/counted.hpp"
#include "places/emulation/memory_rules.hpp"
#include "places/emulation/site_counts.hpp"
#include "places/emulation/source_lines.hpp"

namespace parlab::emulation {

// Counts for the blocks that one OS thread runs.
class WarpCounts {
 public:
  explicit WarpCounts(SharedCounts& to) : to_(to) {}
  ~WarpCounts();
  WarpCounts(const WarpCounts&) = delete;
  WarpCounts& operator=(const WarpCounts&) = delete;

  // Begins a block with this many threads.
  void begin(unsigned threads);
  PARLAB_INLINE void add(unsigned thread, const CallSite& site,
                         const Allocation& array, const void* address) {
    const auto key = key_of(site.call, site.access);
    const auto& latest = latest_[key / 8 % latest_.size()];
    Lane& lane = (latest.key == key ? latest.lanes : look_up(site))[thread];
    auto& stores = stores_[thread];
    if (!reads(site.access)) ++stores;
    if (lane.array != &array || lane.stores != stores) {
      lane.array = &array;
      lane.stores = stores;
      lane.runs.push_back(
          {static_cast<std::uint32_t>(lane.offsets.size()), stores, &array});
    }
    lane.offsets.push_back(static_cast<std::uint32_t>(array.offset(address)));
  }
  // This many threads of a warp or a block meet at a barrier.
  void barrier(const char* file, unsigned line, std::size_t threads);
  // The lanes of that warp are together.
  void meet(unsigned warp);
  void end();  // ends the block

 private:
  // A request of a warp's lanes at one place.
  struct Pending {
    const Allocation* array = nullptr;
    WarpAccess access = {.offset = {}};
    std::uint32_t stores = 0;  // stores that its lanes had made before
  };
  // A lane's accesses at one place since its warp last met. Lanes run one after
  // the other, so each writes to memory of its own.
  struct Run {
    std::uint32_t first = 0;  // access from which on the others hold
    std::uint32_t stores = 0;
    const Allocation* array = nullptr;
  };
  struct Lane {
    std::vector<std::uint32_t> offsets;
    std::vector<Run> runs;
    const Allocation* array = nullptr;  // of the last run
    std::uint32_t stores = 0;
  };
  using Lanes = std::span<Lane, 32>;  // of a warp
  struct OneSite {
    CallSite site;
    SiteCounts counts = {};
    std::optional<Line> line = {};
    Request latest = {};
    // L1Model::brought() when the latest request found all its sectors
    std::optional<std::uint32_t> found_all_at = {};
  };

  // One call from the compiler makes one kind of access. Words are aligned, so
  // the kind fits in the bits below.
  static std::uintptr_t key_of(const void* call, Access access) {
    return reinterpret_cast<std::uintptr_t>(call) * 8 +
           static_cast<std::uintptr_t>(access);
  }
  Lane* look_up(const CallSite& site);
  unsigned warps() const { return (threads_ + 31) / 32; }
  Lanes lanes_of(std::size_t site, unsigned warp) {
    return Lanes(&lanes_[site][std::size_t{warp} * 32], 32);
  }
  // Combines the lanes' accesses to the requests of pending_[site].
  void gather(std::size_t site, Lanes lanes);
  bool have_one_line(std::size_t site, std::size_t other);
  void join_arms(std::uint32_t all_lanes);
  // Joins the iterations of a loop that g++ has unrolled; they are at several
  // places of one line.
  void join_unrolled();
  static bool repeats(const Pending& before, const Pending& next);
  void finish(std::size_t site);
  void count(std::size_t site, const Pending& pending);

  SharedCounts& to_;
  std::vector<OneSite> sites_;
  std::unordered_map<std::uintptr_t, std::size_t> numbers_;
  struct Latest {
    std::uintptr_t key = 0;
    Lane* lanes = nullptr;
  };
  std::array<Latest, 1024> latest_{};     // cache of some of them
  unsigned threads_ = 0;                  // of a block
  std::vector<std::vector<Lane>> lanes_;  // of each site, by thread
  // stores and atomics of each thread
  std::vector<std::uint32_t> stores_;
  // requests of the warp that meets, one list per site
  std::vector<std::vector<Pending>> pending_;
  // Sites of one line that were not neighbours. nvcc cannot know when they are,
  // so they are not joined.
  std::set<std::pair<std::size_t, std::size_t>> apart_;
  std::map<std::pair<const char*, unsigned>, CountedLine> barriers_;
  L1Model l1_;
};

}  // namespace parlab::emulation
