// How a GPU serves the accesses of a warp at one instruction. The source of
// all of it: NVIDIA, CUDA C++ Best Practices Guide, "Coalesced Access to Global
// Memory" and "Shared Memory and Memory Banks"; Nsight Compute, "Memory
// Tables", for what counts as a request, a sector and a wavefront. The rule of
// pairs was found on an H100, by 216 patterns of addresses under Nsight
// Compute.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace parlab::emulation {

constexpr std::int64_t sector_bytes = 32;           // of global memory
constexpr std::int64_t banks = 32, bank_bytes = 4;  // of shared memory

// What the lanes of a warp access at once: bytes from the start of an array.
struct WarpAccess {
  std::uint32_t lanes = 0;  // which take part
  std::array<std::uint32_t, 32> offset;
  std::int64_t bytes = 0;  // of each lane

  int count() const { return std::popcount(lanes); }
};

// f(sector) of each lane's sectors, from the start of the array.
template <typename F>
void for_each_sector(const WarpAccess& access, F f) {
  for (auto left = access.lanes; left != 0; left &= left - 1) {
    const auto first = std::int64_t{
        access.offset[static_cast<std::size_t>(std::countr_zero(left))]};
    for (auto at = first / sector_bytes;
         at <= (first + access.bytes - 1) / sector_bytes; ++at)
      f(static_cast<std::size_t>(at));
  }
}

// Different sectors that the warp touches.
std::int64_t sectors(const WarpAccess& access);
// The fewest sectors that as many lanes can touch, each at an address of its
// own.
std::int64_t fewest_sectors(const WarpAccess& access);
// Passes over the banks. Lanes at the same word share it. Of accesses of 8
// bytes the halves of a warp are served one after the other, of 16 bytes the
// quarters. Loads are served twice as many lanes at once where the lanes of
// each pair have one address: lane i and the one beside it, or i and the one
// but one beside it.
std::int64_t wavefronts(const WarpAccess& access, bool is_load);
std::int64_t fewest_wavefronts(const WarpAccess& access);
// Lanes that meet at the word where most of them meet.
std::int64_t most_at_one_word(const WarpAccess& access);

}  // namespace parlab::emulation
