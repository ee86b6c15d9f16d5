// Sums the requests of warps for each place in a program.
#pragma once

#include <array>
#include <boost/thread/synchronized_value.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "places/counted.hpp"
#include "places/emulation/memory.hpp"
#include "places/emulation/memory_rules.hpp"

namespace parlab::emulation {

// A call that the compiler inserted before an access.
struct CallSite {
  const void* call = nullptr;
  Access access = Access::global_load;
  std::int64_t bytes = 0;
  bool operator==(const CallSite&) const = default;
};

// The latest request of a place, and what it takes. Most requests are the one
// before with all lanes moved alike; then little is found anew.
class Request {
 public:
  void set(const WarpAccess& access, Access kind, const Allocation& array);
  const WarpAccess& access() const { return access_; }
  const Allocation& array() const { return *array_; }
  // of global memory, and whether the request before had the same ones
  const Sectors& sectors() const { return sectors_; }
  bool has_same_sectors() const { return same_sectors_; }
  // sectors or wavefronts
  std::int64_t moved() const { return moved_; }
  std::int64_t fewest() const { return fewest_; }
  std::int64_t at_one_word() const { return at_one_word_; }
  // Each distance from a lane to its neighbour, and how often it follows
  // itself.
  const auto& distances() const { return distances_; }

 private:
  WarpAccess access_{.offset = {}};
  const Allocation* array_ = nullptr;
  Sectors sectors_{};
  bool same_sectors_ = false;
  std::int64_t moved_ = 0, fewest_ = 0, at_one_word_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> distances_{};
};

// The requests of one place in the program. from_l2 is that of loads; the
// stride is the most common distance, found by voting (Boyer and Moore).
struct SiteCounts : CountedLine {
  std::int64_t votes = 0;
  // one bit per sector of each array
  std::vector<std::pair<std::string, std::vector<bool>>> touched = {};

  void add(const Request& request, Access kind);
  void add(const SiteCounts& more);
  // The bits of an array of this name, at least so many.
  std::vector<bool>& touched_of(const std::string& name, std::size_t count);
};

// Counts of all blocks; several OS threads add to it.
class Counts {
 public:
  void add(const CallSite& site, const SiteCounts& counts);
  void add(const CountedLine& barrier);
  // The sites of one line combined, the costliest line first.
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

// Lets `count` voters vote for a value. The candidate is the most common value
// if one has more than half of all votes (Boyer and Moore).
void vote(std::int64_t& candidate, std::int64_t& votes, std::int64_t value,
          std::int64_t count);

}  // namespace parlab::emulation
