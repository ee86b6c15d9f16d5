#include "places/emulation/warp_counts.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "places/emulation/source_lines.hpp"

namespace parlab::emulation {
namespace {

constexpr unsigned warp_lanes = 32;

// calls f(lane) for those that take part
template <typename F>
void for_each_lane(const WarpAccess& access, F f) {
  for (auto left = access.lanes; left != 0; left &= left - 1)
    f(static_cast<std::size_t>(std::countr_zero(left)));
}

// Whether one of the lanes accesses the start of the array.
bool begins_array(const WarpAccess& access) {
  bool begins = false;
  for_each_lane(access,
                [&](std::size_t lane) { begins |= access.offset[lane] == 0; });
  return begins;
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

void vote(std::int64_t& candidate, std::int64_t& votes, std::int64_t value,
          std::int64_t count) {
  if (value == candidate) {
    votes += count;
  } else if (votes >= count) {
    votes -= count;
  } else {
    candidate = value;
    votes = count - votes;
  }
}

// Whether one instruction can make both accesses.
bool joins(const WarpAccess& before, const WarpAccess& next) {
  constexpr std::uint32_t widest = 16;
  if (before.lanes != next.lanes) return false;
  bool side_by_side = true;
  for_each_lane(next, [&](std::size_t lane) {
    const auto from = before.offset[lane], to = next.offset[lane];
    side_by_side &= to == from + before.bytes && to / widest == from / widest;
  });
  return side_by_side;
}

// Where lane 0 would be, judged by the access of this lane.
std::int64_t base(const WarpAccess& access, std::size_t lane,
                  std::int64_t distance) {
  return access.offset[lane] - static_cast<std::int64_t>(lane) * distance;
}

// Whether the other lanes continue the pattern of these, all at one distance.
bool continues(const WarpAccess& access, const WarpAccess& more) {
  std::optional<std::int64_t> distance;
  bool even = true;
  for_each_distance(access, [&](std::int64_t here) {
    even &= distance.value_or(here) == here;
    distance = here;
  });
  if (!even || !distance) return false;
  const auto first =
      base(access, static_cast<std::size_t>(std::countr_zero(access.lanes)),
           *distance);
  for_each_lane(more, [&](std::size_t lane) {
    even &= base(more, lane, *distance) == first;
  });
  return even;
}

void add_lanes(WarpAccess& to, const WarpAccess& more) {
  to.lanes |= more.lanes;
  for_each_lane(more,
                [&](std::size_t lane) { to.offset[lane] = more.offset[lane]; });
}

using Times = std::array<std::uint32_t, warp_lanes>;

// Whether some lanes came less often than others that came at all.
bool is_ragged(const Times& times) {
  const auto most = *std::ranges::max_element(times);
  return std::ranges::any_of(
      times, [&](auto count) { return count != 0 && count != most; });
}

// The distance from lane to lane in nearly all pairs of neighbours. Nothing if
// there is no common one, or if all pairs have it already.
template <typename Accesses>
std::optional<std::int64_t> distance_of_most(const Accesses& all) {
  std::int64_t most = 0, votes = 0, pairs = 0, agree = 0;
  for (const auto& one : all) {
    for_each_distance(one.access, [&](std::int64_t distance) {
      vote(most, votes, distance, 1);
      ++pairs;
    });
  }
  for (const auto& one : all) {
    for_each_distance(one.access, [&](std::int64_t distance) {
      agree += distance == most ? 1 : 0;
    });
  }
  constexpr double nearly_all = 0.75;
  if (agree == pairs ||
      static_cast<double>(agree) < nearly_all * static_cast<double>(pairs))
    return std::nullopt;
  return most;
}

// The offset of each lane's access from the first lane's when all are in the
// same iteration of a loop. Normally a lane is as far from its neighbour as
// most are. If that does not hold at their first access, but the lane came as
// often as another one, the lane's offset at that access counts.
std::array<std::int64_t, warp_lanes> pattern_of(const WarpAccess& first,
                                                const Times& times,
                                                std::int64_t distance) {
  std::array<std::int64_t, warp_lanes> pattern{};
  std::vector<std::size_t> before;
  for_each_lane(first, [&](std::size_t lane) {
    const auto as_then = [&](std::size_t other) {
      return pattern[other] + first.offset[lane] -
             std::int64_t{first.offset[other]};
    };
    if (!before.empty()) {
      const auto neighbour = before.back();
      const auto usual = pattern[neighbour] +
                         static_cast<std::int64_t>(lane - neighbour) * distance;
      const auto equal = std::ranges::find_if(before, [&](std::size_t other) {
        return times[other] == times[lane];
      });
      pattern[lane] = as_then(neighbour) == usual       ? usual
                      : times[neighbour] == times[lane] ? as_then(neighbour)
                      : equal != before.end()           ? as_then(*equal)
                                                        : usual;
    }
    before.push_back(lane);
  });
  return pattern;
}

// Combines lanes whose distances are the usual ones. They are in the same
// iteration of a loop, whichever iterations each has skipped.
template <typename Accesses>
void align(Accesses& all, const Times& times) {
  const auto distance = distance_of_most(all);
  if (!distance) return;
  const auto pattern = pattern_of(all.front().access, times, *distance);
  // If a lane repeats an access, that belongs to the others' second one.
  using Key = std::tuple<const Allocation*, std::int64_t, int>;
  struct Turn {
    std::size_t latest = 0;  // last time at which a lane reached it
    typename Accesses::value_type together;
  };
  std::map<Key, Turn> turns;
  for (std::size_t time = 0; time < all.size(); ++time) {
    const auto& one = all[time];
    for_each_lane(one.access, [&](std::size_t lane) {
      const auto& whole = one.access;
      Key key{one.array, whole.offset[lane] - pattern[lane], 0};
      const auto bit = 1u << lane;
      for (auto at = turns.find(key);
           at != turns.end() && (at->second.together.access.lanes & bit) != 0;
           at = turns.find(key))
        ++std::get<int>(key);
      auto& turn = turns[key];
      if (turn.together.access.lanes == 0) {
        turn.together = one;
        turn.together.access.lanes = 0;
      }
      turn.latest = time;
      turn.together.access.lanes |= bit;
      turn.together.access.offset[lane] = whole.offset[lane];
    });
  }
  // Otherwise they have no pattern.
  if (turns.size() > all.size() + 1) return;
  std::vector<const Turn*> in_order;
  for (const auto& [key, turn] : turns)
    in_order.push_back(&turn);
  std::ranges::stable_sort(in_order, {}, &Turn::latest);
  all.clear();
  for (const auto* turn : in_order)
    all.push_back(turn->together);
}

}  // namespace

void SiteCounts::add(const WarpAccess& access, Access kind,
                     const Allocation& of) {
  if (requests == 0) {
    array = of.name;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
      first[lane] = (access.lanes >> lane & 1) != 0
                        ? std::int64_t{access.offset[lane]}
                        : -1;
  }
  ++requests;
  lanes += access.count();
  if (is_atomic(kind)) at_one_word += most_at_one_word(access);
  if (is_shared(kind)) {
    const auto served = wavefronts(access, kind == Access::shared_load);
    moved += served;
    fewest += std::min(served, fewest_wavefronts(access));
  } else {
    moved += sectors(access);
    fewest += fewest_sectors(access);
    auto& here = touched[of.name];
    here.resize(of.bytes / sector_bytes + 1);
    for_each_sector(access, [&](std::size_t sector) { here[sector] = true; });
  }
  for_each_distance(
      access, [&](std::int64_t distance) { vote(stride, votes, distance, 1); });
}

void SiteCounts::add(const SiteCounts& more) {
  if (requests == 0) {
    array = more.array;
    first = more.first;
  }
  requests += more.requests;
  lanes += more.lanes;
  moved += more.moved;
  fewest += more.fewest;
  at_one_word += more.at_one_word;
  from_l2 += more.from_l2;
  vote(stride, votes, more.stride, more.votes);
  for (const auto& [name, sectors] : more.touched) {
    auto& ours = touched[name];
    ours.resize(std::max(ours.size(), sectors.size()));
    for (std::size_t i = 0; i < sectors.size(); ++i)
      ours[i] = ours[i] || sectors[i];
  }
}

void Counts::add(const CallSite& site, const SiteCounts& counts) {
  sites_[site].add(counts);
}

void Counts::add(const CountedLine& barrier) {
  auto& here = barriers_[{barrier.file, barrier.line}];
  const auto requests = here.requests + barrier.requests,
             lanes = here.lanes + barrier.lanes;
  here = barrier;
  here.requests = requests;
  here.lanes = lanes;
}

std::vector<CountedLine> Counts::lines() const {
  using Key =
      std::tuple<std::string, unsigned, Access, std::int64_t, std::string>;
  std::map<Key, SiteCounts> by_line;
  for (const auto& [site, counts] : sites_) {
    const auto place = line_of(site.call);
    by_line[{place.file, place.number, site.access, site.bytes, counts.array}]
        .add(counts);
  }
  std::vector<CountedLine> lines;
  for (const auto& [key, counts] : by_line) {
    const auto& [file, line, access, bytes, array] = key;
    CountedLine one{.file = file,
                    .line = line,
                    .access = access,
                    .array = array,
                    .bytes = bytes,
                    .requests = counts.requests,
                    .lanes = counts.lanes,
                    .moved = counts.moved,
                    .fewest = counts.fewest,
                    .at_one_word = counts.at_one_word,
                    .from_l2 = access == Access::global_load ? counts.from_l2
                               : is_shared(access)           ? 0
                                                             : counts.moved,
                    .stride = counts.stride,
                    .first = counts.first};
    for (const auto& [name, sectors] : counts.touched)
      one.different += std::ranges::count(sectors, true);
    lines.push_back(std::move(one));
  }
  for (const auto& [place, barrier] : barriers_)
    lines.push_back(barrier);
  // A wavefront of shared memory costs about as much as a sector found in L1,
  // because both take one pass of 32 bytes or more.
  std::ranges::stable_sort(lines, std::ranges::greater{}, &CountedLine::moved);
  return lines;
}

WarpCounts::~WarpCounts() {
  end();
  auto all = to_.synchronize();
  for (const auto& [site, counts, line] : sites_)
    all->add(site, counts);
  for (const auto& [place, barrier] : barriers_)
    all->add(barrier);
}

void WarpCounts::barrier(const char* file, unsigned line, std::size_t threads) {
  auto& here = barriers_[{file, line}];
  if (here.requests == 0) {
    here.file = file;
    here.line = line;
    here.access = Access::barrier;
  }
  here.requests +=
      static_cast<std::int64_t>((threads + warp_lanes - 1) / warp_lanes);
  here.lanes += static_cast<std::int64_t>(threads);
}

void WarpCounts::begin(unsigned threads) {
  l1_.begin_block();
  warps_.resize((threads + warp_lanes - 1) / warp_lanes);
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    const auto left = threads - static_cast<unsigned>(i) * warp_lanes;
    warps_[i].lanes = left >= warp_lanes ? ~0u : (1u << left) - 1;
  }
}

std::size_t WarpCounts::number_of(const CallSite& site) {
  // One call from the compiler makes one kind of access. Words are aligned, so
  // the kind fits in the bits below.
  const auto key = reinterpret_cast<std::uintptr_t>(site.call) * 8 +
                   static_cast<std::uintptr_t>(site.access);
  auto& [latest_key, latest_number] = latest_[key / 8 % latest_.size()];
  if (latest_key == key) return latest_number;
  const auto [known, is_new] = numbers_.try_emplace(key, sites_.size());
  if (is_new) sites_.push_back({site});
  latest_key = key;
  latest_number = known->second;
  return latest_number;
}

void WarpCounts::add(unsigned thread, const CallSite& site,
                     const Allocation& array, const void* address) {
  Warp& warp = warps_[thread / warp_lanes];
  const auto number = number_of(site), lane = std::size_t{thread % warp_lanes};
  if (warp.queues.size() <= number) warp.queues.resize(number + 1);
  Queue& queue = warp.queues[number];
  const auto time = std::size_t{queue.times[lane]++};
  if (time == queue.pending.size())
    queue.pending.push_back({&array, {.offset = {}, .bytes = site.bytes}});
  auto& stores = warp.stores[lane];
  if (!reads(site.access)) ++stores;
  queue.pending[time].stores = stores;
  auto& access = queue.pending[time].access;
  access.lanes |= 1u << lane;
  access.offset[lane] = static_cast<std::uint32_t>(array.offset(address));
}

bool WarpCounts::have_one_line(std::size_t site, std::size_t other) {
  const auto line = [&](OneSite& one) -> const Line& {
    if (!one.line) one.line = line_of(one.site.call);
    return *one.line;
  };
  const CallSite &a = sites_[site].site, &b = sites_[other].site;
  if (a.access != b.access || a.bytes != b.bytes) return false;
  const Line &here = line(sites_[site]), &there = line(sites_[other]);
  return here.number == there.number && here.file == there.file;
}

void WarpCounts::join_arms(Warp& warp) {
  const auto is_partial = [&](const Pending& pending) {
    return pending.access.lanes != warp.lanes;
  };
  std::vector<std::size_t> partial;
  for (std::size_t site = 0; site < warp.queues.size(); ++site) {
    if (reads(sites_[site].site.access) &&
        std::ranges::any_of(warp.queues[site].pending, is_partial))
      partial.push_back(site);
  }
  const auto lanes_of = [&](std::size_t site) {
    std::uint32_t lanes = 0;
    for (const auto& pending : warp.queues[site].pending)
      lanes |= is_partial(pending) ? pending.access.lanes : 0;
    return lanes;
  };
  for (const auto site : partial) {
    for (const auto other : partial) {
      if ((lanes_of(site) & lanes_of(other)) != 0 ||
          !have_one_line(site, other))
        continue;
      auto& to = warp.queues[site].pending;
      auto from = to.begin();
      std::erase_if(warp.queues[other].pending, [&](const Pending& pending) {
        const auto found =
            std::find_if(from, to.end(), [&](const Pending& one) {
              return is_partial(one) && one.array == pending.array &&
                     continues(one.access, pending.access);
            });
        if (found == to.end()) return false;
        add_lanes(found->access, pending.access);
        from = found;
        return true;
      });
    }
  }
}

void WarpCounts::join_unrolled(Warp& warp) {
  for (std::size_t site = 0; site < warp.queues.size(); ++site) {
    auto& to = warp.queues[site].pending;
    if (to.empty() || !is_shared(sites_[site].site.access)) continue;
    for (auto other = site + 1; other < warp.queues.size(); ++other) {
      auto& from = warp.queues[other].pending;
      if (from.empty() || !have_one_line(site, other) ||
          apart_.contains({site, other}))
        continue;
      const auto side_by_side = [](const Pending& a, const Pending& b) {
        return joins(a.access, b.access);
      };
      const auto elsewhere = [](const Pending& a, const Pending& b) {
        return a.access.lanes == b.access.lanes && !joins(a.access, b.access);
      };
      if (std::ranges::equal(to, from, elsewhere)) apart_.insert({site, other});
      if (!std::ranges::equal(to, from, side_by_side)) continue;
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i].access.bytes += from[i].access.bytes;
      from.clear();
    }
  }
}

// Whether its threads load the same data again and have stored nothing since.
bool WarpCounts::repeats(const Pending& before, const Pending& next) {
  if (before.array != next.array || before.stores != next.stores ||
      before.access.lanes != next.access.lanes ||
      before.access.bytes != next.access.bytes)
    return false;
  bool same = true;
  for_each_lane(next.access, [&](std::size_t lane) {
    same &= before.access.offset[lane] == next.access.offset[lane];
  });
  return same;
}

// nvcc keeps loaded data in registers and joins neighbouring accesses of shared
// memory. For loads behind other data in dynamic shared memory it does not know
// the alignment.
void WarpCounts::finish(std::size_t site, Queue& queue) {
  const Pending* last = nullptr;
  const auto access = sites_[site].site.access;
  const bool joinable =
      is_shared(access) && !queue.pending.empty() &&
      (!reads(access) || !queue.pending.front().array->is_dynamic() ||
       begins_array(queue.pending.front().access));
  for (auto& pending : queue.pending) {
    if (last != nullptr && reads(access) && repeats(*last, pending)) continue;
    if (last != nullptr && joinable && joins(last->access, pending.access)) {
      const auto& before = last->access;
      pending.access.offset = before.offset;
      pending.access.bytes += before.bytes;
    } else if (last != nullptr) {
      count(site, *last);
    }
    last = &pending;
  }
  if (last != nullptr) count(site, *last);
  queue.times.fill(0);
  queue.pending.clear();
}

void WarpCounts::count(std::size_t site, const Pending& pending) {
  auto& [place, counts, line] = sites_[site];
  counts.add(pending.access, place.access, *pending.array);
  if (place.access == Access::global_load)
    counts.from_l2 += l1_.misses(pending.access, *pending.array);
}

void WarpCounts::meet(unsigned number) {
  Warp& warp = warps_[number];
  for (auto& queue : warp.queues) {
    if (is_ragged(queue.times)) align(queue.pending, queue.times);
  }
  join_arms(warp);
  join_unrolled(warp);
  for (std::size_t site = 0; site < warp.queues.size(); ++site)
    finish(site, warp.queues[site]);
}

void WarpCounts::end() {
  for (unsigned warp = 0; warp < warps_.size(); ++warp)
    meet(warp);
}

}  // namespace parlab::emulation
