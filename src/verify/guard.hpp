// Evidence for a result: guard words around every array, fingerprints of the
// inputs, and poison in the outputs (core/workload.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/types.hpp"
#include "core/workload.hpp"
#include "facts/cause.hpp"

namespace parlab {

// Guards on each side of an array. 4 KB keeps the array aligned and catches a
// stray row of a tile.
constexpr std::size_t guard_bytes = 4096;
// Four of them are 3.4e38 in float and 2139062143 in int, two of them a NaN in
// half, so that results which contain a guard are wrong in every type.
constexpr unsigned char guard_byte = 0x7f;

// Cause::wrote_before_start or wrote_past_end; empty if both sides are intact.
Detail guard_damage(const std::string& array, const unsigned char* before,
                    const unsigned char* after);

// An order-independent fingerprint of memory, the same on host and device: the
// sum over all 4-byte words of mix(word, index). The last word is padded with
// zeros. One thread does it up to worth_a_team bytes.
constexpr std::size_t worth_a_team = std::size_t{1} << 20;
std::uint64_t fingerprint(const void* data, std::size_t bytes, int threads);
inline std::uint64_t fingerprint_of(const Array& array, int threads) {
  return fingerprint(array.data, array.spec.bytes(), threads);
}

// The term of one word.
PARLAB_ON_BOTH inline std::uint64_t fingerprint_term(std::uint32_t word,
                                                     std::uint64_t index) {
  std::uint64_t z = (index << 32 | word) + 0x9e3779b97f4a7c15u * (index + 1);
  z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93u;
  return z ^ (z >> 32);
}

// The last word if bytes is not a multiple of 4.
PARLAB_ON_BOTH inline std::uint32_t fingerprint_tail(const unsigned char* data,
                                                     std::size_t bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = bytes / 4 * 4; i < bytes; ++i) {
    word |= static_cast<std::uint32_t>(data[i]) << 8 * (i % 4);
  }
  return word;
}

}  // namespace parlab
