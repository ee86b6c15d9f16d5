#include "places/emulation/warp_counts.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "places/emulation/source_lines.hpp"

namespace parlab::emulation {
namespace {

constexpr unsigned warp_lanes = 32;

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

void touch(std::vector<bool>& sectors, const WarpAccess& access,
           std::size_t bytes) {
  sectors.resize(bytes / sector_bytes + 1);
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if ((access.lanes >> lane & 1) == 0) continue;
    const auto first = std::int64_t{access.offset[lane]};
    for (auto at = first / sector_bytes;
         at <= (first + access.bytes - 1) / sector_bytes; ++at)
      sectors[static_cast<std::size_t>(at)] = true;
  }
}

// Whether one instruction can make both accesses.
bool joins(const WarpAccess& before, const WarpAccess& next) {
  constexpr std::uint32_t widest = 16;
  if (before.lanes != next.lanes) return false;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if ((next.lanes >> lane & 1) == 0) continue;
    const auto from = before.offset[lane], to = next.offset[lane];
    if (to != from + before.bytes || to / widest != from / widest) return false;
  }
  return true;
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
  at_one_word += most_at_one_word(access);
  if (is_shared(kind)) {
    const auto served = wavefronts(access, kind == Access::shared_load);
    moved += served;
    fewest += std::min(served, fewest_wavefronts(access));
  } else {
    moved += sectors(access);
    fewest += fewest_sectors(access);
    touch(touched[of.name], access, of.bytes);
  }
  for (unsigned lane = 0; lane + 1 < warp_lanes; ++lane) {
    if ((access.lanes >> lane & 3) != 3) continue;
    vote(stride, votes,
         std::int64_t{access.offset[lane + 1]} - access.offset[lane], 1);
  }
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
                    .stride = counts.stride,
                    .first = counts.first};
    for (const auto& [name, sectors] : counts.touched)
      one.different += std::ranges::count(sectors, true);
    lines.push_back(std::move(one));
  }
  // A wavefront of shared memory costs about what a sector costs that is found
  // in L1: both take one pass of 32 bytes or more.
  std::ranges::stable_sort(lines, std::ranges::greater{}, &CountedLine::moved);
  return lines;
}

WarpCounts::~WarpCounts() {
  end();
  auto all = to_.synchronize();
  for (const auto& [site, counts] : sites_)
    all->add(site, counts);
}

void WarpCounts::begin(unsigned threads) {
  warps_.resize((threads + warp_lanes - 1) / warp_lanes);
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    const auto left = threads - static_cast<unsigned>(i) * warp_lanes;
    warps_[i].lanes = left >= warp_lanes ? ~0u : (1u << left) - 1;
  }
}

std::size_t WarpCounts::number_of(const CallSite& site) {
  // One call of the compiler's is one kind of access; a word is aligned, so
  // that the kind finds room below it.
  const auto key = reinterpret_cast<std::uintptr_t>(site.call) * 8 +
                   static_cast<std::uintptr_t>(site.access);
  const auto [known, is_new] = numbers_.try_emplace(key, sites_.size());
  if (is_new) sites_.push_back({site});
  return known->second;
}

void WarpCounts::add(unsigned thread, const CallSite& site,
                     const Allocation& array, const void* address) {
  Warp& warp = warps_[thread / warp_lanes];
  const auto number = number_of(site), lane = std::size_t{thread % warp_lanes};
  if (warp.queues.size() <= number) warp.queues.resize(number + 1);
  Queue& queue = warp.queues[number];
  const auto turn = std::size_t{queue.next[lane]++ - queue.done};
  if (turn == queue.pending.size())
    queue.pending.push_back({&array, {.offset = {}, .bytes = site.bytes}});
  auto& access = queue.pending[turn].access;
  access.lanes |= 1u << lane;
  access.offset[lane] = static_cast<std::uint32_t>(array.offset(address));
  if (turn > 0 || access.lanes != warp.lanes) return;
  finish(number, queue, queue.pending.front());
  queue.pending.pop_front();
  ++queue.done;
}

void WarpCounts::finish(std::size_t site, Queue& queue,
                        const Pending& pending) {
  if (!is_shared(sites_[site].site.access)) return count(site, pending);
  if (queue.last && joins(queue.last->access, pending.access)) {
    queue.last->access.bytes += pending.access.bytes;
    return;
  }
  if (queue.last) count(site, *queue.last);
  queue.last = pending;
}

void WarpCounts::count(std::size_t site, const Pending& pending) {
  sites_[site].counts.add(pending.access, sites_[site].site.access,
                          *pending.array);
}

void WarpCounts::meet(unsigned warp) {
  auto& queues = warps_[warp].queues;
  for (std::size_t site = 0; site < queues.size(); ++site) {
    auto& queue = queues[site];
    for (const auto& pending : queue.pending)
      finish(site, queue, pending);
    if (queue.last) count(site, *queue.last);
    queue = {};
  }
}

void WarpCounts::end() {
  for (unsigned warp = 0; warp < warps_.size(); ++warp)
    meet(warp);
}

}  // namespace parlab::emulation
