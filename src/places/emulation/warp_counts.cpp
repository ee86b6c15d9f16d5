#include "places/emulation/warp_counts.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace parlab::emulation {
namespace {

// Whether f(lane) holds for all that take part.
template <typename F>
bool all_of_lanes(const WarpAccess& access, F f) {
  for (auto left = access.lanes; left != 0; left &= left - 1)
    if (!f(static_cast<std::size_t>(std::countr_zero(left)))) return false;
  return true;
}

// Whether one of the lanes accesses the start of the array.
bool begins_array(const WarpAccess& access) {
  bool begins = false;
  for_each_lane(access,
                [&](std::size_t lane) { begins |= access.offset[lane] == 0; });
  return begins;
}

// Whether one instruction can make both accesses.
bool joins(const WarpAccess& before, const WarpAccess& next) {
  constexpr std::uint32_t widest = 16;
  if (before.lanes != next.lanes) return false;
  return all_of_lanes(next, [&](std::size_t lane) {
    const auto from = before.offset[lane], to = next.offset[lane];
    return to == from + before.bytes && to / widest == from / widest;
  });
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

WarpCounts::~WarpCounts() {
  end();
  auto all = to_.synchronize();
  for (const auto& one : sites_)
    all->add(one.site, one.counts);
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
  threads_ = threads;
  const auto lanes = std::size_t{warps()} * warp_lanes;
  if (lanes <= stores_.size()) return;
  stores_.resize(lanes);
  for (auto& site : lanes_)
    site.resize(lanes);
  latest_ = {};
}

WarpCounts::Lane* WarpCounts::look_up(const CallSite& site) {
  const auto key = key_of(site.call, site.access);
  const auto [known, is_new] = numbers_.try_emplace(key, sites_.size());
  if (is_new) {
    sites_.push_back({site});
    lanes_.emplace_back(stores_.size());
    pending_.emplace_back();
  }
  auto* const lanes = lanes_[known->second].data();
  latest_[key / 8 % latest_.size()] = {key, lanes};
  return lanes;
}

void WarpCounts::gather(std::size_t site, Lanes lanes) {
  Times times{};
  for (std::size_t lane = 0; lane < warp_lanes; ++lane)
    times[lane] = static_cast<std::uint32_t>(lanes[lane].offsets.size());
  auto& pending = pending_[site];
  pending.resize(*std::ranges::max_element(times));
  if (pending.empty()) return;
  std::array<std::size_t, warp_lanes> run{};
  const auto run_at = [&](std::size_t lane, std::size_t time) -> const Run& {
    const auto& runs = lanes[lane].runs;
    auto& at = run[lane];
    while (at + 1 < runs.size() && runs[at + 1].first <= time)
      ++at;
    return runs[at];
  };
  std::array<const std::uint32_t*, warp_lanes> offsets;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane)
    offsets[lane] = lanes[lane].offsets.data();
  const bool in_step = std::ranges::count(times, times[0]) == warp_lanes;
  for (std::size_t time = 0; time < pending.size(); ++time) {
    auto& [array, access, stores] = pending[time];
    access.bytes = sites_[site].site.bytes;
    access.lanes = in_step ? ~0u : 0;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
      if (!in_step && time >= times[lane]) continue;
      access.lanes |= 1u << lane;
      access.offset[lane] = offsets[lane][time];
    }
    const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
    array = run_at(first, time).array;
    stores =
        run_at(warp_lanes - 1 -
                   static_cast<std::size_t>(std::countl_zero(access.lanes)),
               time)
            .stores;
  }
  for (auto& lane : lanes) {
    lane.offsets.clear();
    lane.runs.clear();
    lane.array = nullptr;
  }
  if (is_ragged(times)) align(pending, times);
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

void WarpCounts::join_arms(std::uint32_t all_lanes) {
  const auto is_partial = [&](const Pending& pending) {
    return pending.access.lanes != all_lanes;
  };
  std::vector<std::size_t> partial;
  for (std::size_t site = 0; site < sites_.size(); ++site) {
    if (reads(sites_[site].site.access) &&
        std::ranges::any_of(pending_[site], is_partial))
      partial.push_back(site);
  }
  const auto lanes_of = [&](std::size_t site) {
    std::uint32_t lanes = 0;
    for (const auto& pending : pending_[site])
      lanes |= is_partial(pending) ? pending.access.lanes : 0;
    return lanes;
  };
  for (const auto site : partial) {
    for (const auto other : partial) {
      if ((lanes_of(site) & lanes_of(other)) != 0 ||
          !have_one_line(site, other))
        continue;
      auto& to = pending_[site];
      auto from = to.begin();
      std::erase_if(pending_[other], [&](const Pending& pending) {
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

void WarpCounts::join_unrolled() {
  for (std::size_t site = 0; site < sites_.size(); ++site) {
    auto& to = pending_[site];
    if (to.empty() || !is_shared(sites_[site].site.access)) continue;
    for (auto other = site + 1; other < sites_.size(); ++other) {
      auto& from = pending_[other];
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
  return all_of_lanes(next.access, [&](std::size_t lane) {
    return before.access.offset[lane] == next.access.offset[lane];
  });
}

// nvcc keeps loaded data in registers and joins neighbouring accesses of shared
// memory. For loads behind other data in dynamic shared memory it does not know
// the alignment.
void WarpCounts::finish(std::size_t site) {
  const Pending* last = nullptr;
  auto& all = pending_[site];
  const auto access = sites_[site].site.access;
  const bool joinable = is_shared(access) && !all.empty() &&
                        (!reads(access) || !all.front().array->is_dynamic() ||
                         begins_array(all.front().access));
  for (auto& pending : all) {
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
  all.clear();
}

void WarpCounts::count(std::size_t site, const Pending& pending) {
  auto& [place, counts, line, latest, found_all_at] = sites_[site];
  latest.set(pending.access, place.access, *pending.array);
  counts.add(latest, place.access);
  if (place.access != Access::global_load) return;
  // It finds them again if nothing was loaded since.
  if (latest.has_same_sectors() && found_all_at == l1_.brought()) return;
  const auto missed = l1_.misses(latest.sectors(), latest.array());
  counts.from_l2 += missed;
  found_all_at.reset();
  if (missed == 0) found_all_at = l1_.brought();
}

void WarpCounts::meet(unsigned warp) {
  for (std::size_t site = 0; site < sites_.size(); ++site)
    gather(site, lanes_of(site, warp));
  const auto left = threads_ - warp * warp_lanes;
  join_arms(left >= warp_lanes ? ~0u : (1u << left) - 1);
  join_unrolled();
  for (std::size_t site = 0; site < sites_.size(); ++site)
    finish(site);
}

void WarpCounts::end() {
  for (unsigned warp = 0; warp < warps(); ++warp)
    meet(warp);
}

}  // namespace parlab::emulation
