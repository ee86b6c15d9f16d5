// A secret key decides which elements of the inputs change their sign. A
// variant that reads only some of the elements is wrong. Magnitudes stay, and
// so do the known properties of the inputs: their range, and whether they are
// integers. Also compiled for the device.
#pragma once

#include <cstdint>
#include <utility>

#include "core/arrays.hpp"

namespace parlab {

struct Signs {
  std::uint32_t key[8] = {};  // all zero: no element changes its sign

  // The key for one array, which all its layouts share.
  Signs of(const ArraySpec& array) const {
    Signs own = *this;
    for (const char c : array.layout_of.empty() ? array.name : array.layout_of)
      own.key[1] = (own.key[1] ^ static_cast<unsigned char>(c)) * key[5];
    return own;
  }
  // The highest bit of the result is 1 if the element changes its sign. A keyed
  // hash: two rounds of a multiplication and a shift.
  PARLAB_ON_BOTH std::uint32_t bit(std::uint32_t low,
                                   std::uint32_t high) const {
    std::uint32_t hash = low * key[0] + high * key[2] + key[1];
    hash = (hash ^ hash >> 16) * key[3] + key[6];
    hash = (hash ^ hash >> 15) * key[4] + key[7];
    return hash;
  }
  PARLAB_ON_BOTH std::uint32_t bit(std::int64_t element) const {
    return bit(static_cast<std::uint32_t>(element),
               static_cast<std::uint32_t>(element >> 32));
  }
  bool operator==(const Signs&) const = default;
};

// Number in the first layout of the element at this place; -1: none. Without a
// map, the array has the first layout itself.
PARLAB_ON_BOTH inline std::int64_t element_at(const LayoutMap& map,
                                              std::int64_t place) {
  if (map.pitch == 0) return place;
  const bool transposed = map.down == 1;  // true even if there is only one row
  const auto line = transposed ? map.across : map.down;
  const auto outer = place / line, inner = place % line - map.start;
  if (transposed) return inner * map.pitch + outer;
  return inner < 0 || inner >= map.pitch ? -1 : outer * map.pitch + inner;
}

// An element in memory, as the bits of its type, with its sign changed if the
// highest bit of `change` is set. Zeros have no sign to change: in inputs of
// zeros no bit is set.
template <typename Word>
PARLAB_ON_BOTH Word with_sign(Word word, std::uint32_t change,
                              bool is_integer) {
  constexpr int shift = 8 * sizeof(Word) - 1;
  if (is_integer) {
    const auto all = static_cast<Word>(0 - (change >> 31));
    return static_cast<Word>((word ^ all) - all);
  }
  const bool is_zero = static_cast<Word>(word << 1) == 0;
  return static_cast<Word>(word ^ static_cast<Word>(is_zero ? 0 : change >> 31)
                                      << shift);
}

// Writes inputs in host memory anew, if they are present, on `threads` OpenMP
// threads: takes back the signs of `before` and applies those of `now`. Then
// reads them, so that caches hold what they would after an execution and no
// writes are pending.
void write_anew(const Arrays& inputs, const Signs& before, const Signs& now,
                int threads);

// Inputs in host memory whose elements have other signs while the object lives.
class SignedInputs {
 public:
  SignedInputs(Arrays inputs, int threads)
      : inputs_(std::move(inputs)), threads_(threads) {}
  ~SignedInputs() { take({}); }
  SignedInputs(const SignedInputs&) = delete;
  SignedInputs& operator=(const SignedInputs&) = delete;

  bool differ(const Signs& signs) const { return !(signs == signs_); }
  void take(const Signs& signs) {
    write_anew(inputs_, std::exchange(signs_, signs), signs, threads_);
  }

 private:
  Arrays inputs_;
  int threads_;
  Signs signs_ = {};
};

}  // namespace parlab
