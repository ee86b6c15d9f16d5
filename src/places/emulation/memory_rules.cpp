#include "places/emulation/memory_rules.hpp"

namespace parlab::emulation {
namespace {

constexpr int warp = static_cast<int>(warp_lanes);

// The number of lanes that are served at once.
int lanes_at_once(std::int64_t bytes) {
  return bytes <= bank_bytes       ? warp
         : bytes <= 2 * bank_bytes ? warp / 2
                                   : warp / 4;
}

// The bits of `count` lanes from the first on.
std::uint32_t lanes_from(int first, int count) {
  return ~0u >> (warp - count) << first;
}

// Whether each lane has the same address as the lane `beside` positions away.
bool are_pairs(const WarpAccess& access, int beside) {
  for (int lane = 0; lane < warp; ++lane) {
    const int other = lane ^ beside;
    if ((access.lanes >> lane & 1) != 0 && (access.lanes >> other & 1) != 0 &&
        access.offset[static_cast<std::size_t>(lane)] !=
            access.offset[static_cast<std::size_t>(other)])
      return false;
  }
  return true;
}

}  // namespace

Sectors::Sectors(const WarpAccess& access) {
  constexpr auto bytes = static_cast<std::uint32_t>(sector_bytes);
  const auto beyond = static_cast<std::uint32_t>(access.bytes) - 1;
  for_each_lane(access, [&](std::size_t lane) {
    const auto first = access.offset[lane];
    for (auto at = first / bytes; at <= (first + beyond) / bytes; ++at)
      add(at);
  });
}

namespace {

// Whether the same lanes take part, and f(offset before, offset next) is 0 for
// all of them. Without a branch where all 32 do.
template <typename F>
bool all_zero(const WarpAccess& before, const WarpAccess& next, F f) {
  if (before.lanes != next.lanes || before.bytes != next.bytes) return false;
  std::uint32_t differs = 0;
  if (next.lanes == ~0u) {
    for (std::size_t lane = 0; lane < warp_lanes; ++lane)
      differs |= f(before.offset[lane], next.offset[lane]);
  } else {
    for_each_lane(next, [&](std::size_t lane) {
      differs |= f(before.offset[lane], next.offset[lane]);
    });
  }
  return differs == 0;
}

}  // namespace

bool have_same_sectors(const WarpAccess& before, const WarpAccess& next) {
  constexpr auto bytes = static_cast<std::uint32_t>(sector_bytes);
  const auto beyond = static_cast<std::uint32_t>(next.bytes) - 1;
  return all_zero(before, next, [&](std::uint32_t from, std::uint32_t to) {
    return (from / bytes ^ to / bytes) |
           ((from + beyond) / bytes ^ (to + beyond) / bytes);
  });
}

bool move_alike(const WarpAccess& before, const WarpAccess& next) {
  const auto first =
      static_cast<std::size_t>(std::countr_zero(next.lanes)) % warp_lanes;
  const auto distance = next.offset[first] - before.offset[first];
  return distance % bank_bytes == 0 &&
         all_zero(before, next, [&](std::uint32_t from, std::uint32_t to) {
           return (to - from) ^ distance;
         });
}

std::int64_t fewest_sectors(const WarpAccess& access) {
  DistinctNumbers<warp_lanes> words;
  for_each_lane(access,
                [&](std::size_t lane) { words.add(access.offset[lane]); });
  return (words.count() * access.bytes + sector_bytes - 1) / sector_bytes;
}

std::int64_t wavefronts(const WarpAccess& access, bool is_load) {
  int at_once = lanes_at_once(access.bytes);
  if (is_load && at_once < warp &&
      (are_pairs(access, 1) || are_pairs(access, 2)))
    at_once *= 2;
  std::int64_t all = 0;
  for (int first = 0; first < warp; first += at_once) {
    std::array<int, banks> of_bank{};
    DistinctNumbers<4 * warp_lanes> words;
    const auto count = [&](std::size_t lane) {
      const std::int64_t offset = access.offset[lane];
      for (auto word = offset / bank_bytes;
           word <= (offset + access.bytes - 1) / bank_bytes; ++word) {
        if (words.add(static_cast<std::uint32_t>(word)))
          ++of_bank[static_cast<std::size_t>(word % banks)];
      }
    };
    for_each_lane(access, count, lanes_from(first, at_once));
    all += *std::ranges::max_element(of_bank);
  }
  return all;
}

std::int64_t fewest_wavefronts(const WarpAccess& access) {
  const int at_once = lanes_at_once(access.bytes);
  std::int64_t all = 0;
  for (int first = 0; first < warp; first += at_once)
    all += (access.lanes & lanes_from(first, at_once)) != 0 ? 1 : 0;
  return all;
}

std::int64_t most_at_one_word(const WarpAccess& access) {
  std::array<std::uint32_t, warp_lanes> offsets;
  std::size_t count = 0;
  for_each_lane(access, [&](std::size_t lane) {
    offsets[count++] = access.offset[lane];
  });
  std::sort(offsets.begin(), offsets.begin() + static_cast<long>(count));
  std::int64_t most = 0, here = 0;
  for (std::size_t i = 0; i < count; ++i) {
    here = i > 0 && offsets[i] == offsets[i - 1] ? here + 1 : 1;
    most = std::max(most, here);
  }
  return most;
}

}  // namespace parlab::emulation
