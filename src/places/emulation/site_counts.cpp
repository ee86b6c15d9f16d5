#include "places/emulation/site_counts.hpp"

#include <algorithm>
#include <tuple>

#include "places/emulation/source_lines.hpp"

namespace parlab::emulation {

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

std::vector<bool>& SiteCounts::touched_of(const std::string& name,
                                          std::size_t count) {
  auto here = std::ranges::find(touched, name,
                                [](const auto& one) { return one.first; });
  if (here == touched.end()) here = touched.insert(here, {name, {}});
  if (here->second.size() < count) here->second.resize(count);
  return here->second;
}

void Request::set(const WarpAccess& access, Access kind,
                  const Allocation& array) {
  const bool alike = array_ != nullptr && move_alike(access_, access);
  if (is_shared(kind)) {
    if (!alike) {
      moved_ = wavefronts(access, kind == Access::shared_load);
      fewest_ = std::min(moved_, fewest_wavefronts(access));
    }
  } else {
    const bool same = array_ != nullptr && have_same_sectors(access_, access);
    same_sectors_ = same && array_ == &array;
    if (!same) sectors_ = Sectors(access);
    moved_ = sectors_.count();
    if (!alike) fewest_ = fewest_sectors(access);
  }
  array_ = &array;
  access_ = access;
  if (alike) return;
  if (is_atomic(kind)) at_one_word_ = most_at_one_word(access);
  distances_.clear();
  for_each_distance(access, [&](std::int64_t here) {
    if (distances_.empty() || distances_.back().first != here)
      distances_.emplace_back(here, 0);
    ++distances_.back().second;
  });
}

void SiteCounts::add(const Request& request, Access kind) {
  const auto& access = request.access();
  const auto& of = request.array();
  if (requests == 0) {
    array = of.name;
    for (unsigned lane = 0; lane < warp_lanes; ++lane)
      first[lane] = (access.lanes >> lane & 1) != 0
                        ? std::int64_t{access.offset[lane]}
                        : -1;
  }
  ++requests;
  lanes += access.count();
  moved += request.moved();
  fewest += request.fewest();
  at_one_word += request.at_one_word();
  if (!is_shared(kind) && !request.has_same_sectors()) {
    auto& here = touched_of(of.name, of.bytes / sector_bytes + 1);
    for (const auto sector : request.sectors())
      here[sector] = true;
  }
  for (const auto& [distance, voters] : request.distances())
    vote(stride, votes, distance, voters);
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
    auto& ours = touched_of(name, sectors.size());
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
    CountedLine one = counts;
    one.file = file;
    one.line = line;
    one.access = access;
    one.bytes = bytes;
    if (access != Access::global_load)
      one.from_l2 = is_shared(access) ? 0 : counts.moved;
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

}  // namespace parlab::emulation
