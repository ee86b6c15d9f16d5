#include "verify/signs.hpp"

#include <omp.h>

#include <algorithm>

namespace parlab {
namespace {

// Works in pieces in which the upper half of the element numbers is constant.
// The keys are copies, because the compiler must assume that a written word is
// part of a key.
template <bool whole, typename Word>
void change(Word* data, std::int64_t begin, std::int64_t end,
            const Signs before, const Signs now) {
  while (begin < end) {
    const auto first = static_cast<std::uint64_t>(begin);
    const auto low = static_cast<std::uint32_t>(first),
               high = static_cast<std::uint32_t>(first >> 32);
    const auto count = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(end - begin, (std::uint64_t{1} << 32) - low));
    Word* const piece = data + begin;
#pragma omp simd
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto both = before.bit(low + i, high) ^ now.bit(low + i, high);
      piece[i] = with_sign(piece[i], both, whole);
    }
    begin += count;
  }
}

template <bool whole, typename Word>
void change(const Array& array, const Signs& before, const Signs& now,
            int threads) {
  const auto& spec = array.spec;
  auto* const data = static_cast<Word*>(array.data);
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t self = omp_get_thread_num(), all = omp_get_num_threads();
    const auto begin = spec.count * self / all,
               end = spec.count * (self + 1) / all;
    if (spec.map.pitch == 0) {
      change<whole>(data, begin, end, before, now);
    } else {
      for (auto place = begin; place < end; ++place) {
        const auto element = element_at(spec.map, place);
        if (element < 0) continue;
        data[place] = with_sign(data[place],
                                before.bit(element) ^ now.bit(element), whole);
      }
    }
  }
}

void change(const Array& array, const Signs& before, const Signs& now,
            int threads) {
  dispatch_word(array.spec.dtype, [&]<typename Word>(Word) {
    if (is_integer(array.spec.dtype)) {
      change<true, Word>(array, before, now, threads);
    } else {
      change<false, Word>(array, before, now, threads);
    }
  });
}

void read_through(const Array& array, int threads) {
  const auto* const words = static_cast<const std::uint64_t*>(array.data);
  const auto count = static_cast<std::int64_t>(array.spec.bytes() / 8);
  std::uint64_t sum = 0;
#pragma omp parallel for simd reduction(+ : sum) num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i)
    sum += words[i];
  asm volatile("" : : "r"(sum));  // keeps the compiler from removing the loop
}

}  // namespace

void write_anew(const Arrays& inputs, const Signs& before, const Signs& now,
                int threads) {
  if (before == now) return;
  for (const auto& array : inputs) {
    const auto& spec = array.spec;
    if (array.data == nullptr || spec.role != Role::input || spec.is_constant())
      continue;
    change(array, before.of(spec), now.of(spec), threads);
    read_through(array, threads);
  }
}

}  // namespace parlab
