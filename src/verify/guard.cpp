#include "verify/guard.hpp"

#include <algorithm>

namespace parlab {

Detail guard_damage(const std::string& array, const unsigned char* before,
                    const unsigned char* after) {
  const auto intact = [](const unsigned char* guard) {
    return std::all_of(guard, guard + guard_bytes,
                       [](auto byte) { return byte == guard_byte; });
  };
  if (!intact(before)) return because(Cause::wrote_before_start, array);
  if (!intact(after)) return because(Cause::wrote_past_end, array);
  return {};
}

std::uint64_t fingerprint(const void* data, std::size_t bytes, int threads) {
  const auto* words = static_cast<const std::uint32_t*>(data);
  std::uint64_t sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static) \
    num_threads(threads) if (bytes > worth_a_team)
  for (std::size_t i = 0; i < bytes / 4; ++i)
    sum += fingerprint_term(words[i], i);
  if (bytes % 4 != 0) {
    sum += fingerprint_term(
        fingerprint_tail(static_cast<const unsigned char*>(data), bytes),
        bytes / 4);
  }
  return sum;
}

}  // namespace parlab
