#include "reference/timed_inputs.hpp"

#include <type_traits>

namespace parlab::reference {
namespace {

// One in so many elements of sparse inputs is not zero.
constexpr std::uint64_t sparse_one_in = 10;
constexpr double largest_whole = 8;
// Streams of random numbers that no workload has.
constexpr std::uint64_t own_streams = 1 << 10;

// A sum of twelve uniform numbers: the same everywhere, as no function of a
// library is in it, and all bits of its significand are random.
template <typename T>
T random_normal(std::uint64_t stream, std::uint64_t i) {
  double sum = 0;
  for (std::uint64_t term = 0; term < 12; ++term)
    sum += random_uniform<double>(stream + (term << 16), i);
  return static_cast<T>(sum / 2);  // each has a variance of 1/3
}

template <typename T>
T real(T uniform, InputKind kind, std::uint64_t stream, std::uint64_t i) {
  if (kind == InputKind::normal) return random_normal<T>(stream, i);
  if (kind == InputKind::spread) return random_wide<T>(stream, i);
  const auto x = static_cast<double>(uniform);
  const double up =
      std::min(std::floor(std::abs(x) * largest_whole) + 1, largest_whole);
  return static_cast<T>(x < 0 ? -up : up);
}

template <typename T>
T element(T uniform, InputKind kind, std::uint64_t stream, std::uint64_t i) {
  if (kind == InputKind::zeros) return T(0);
  if (kind == InputKind::ones) return T(1);
  if (kind == InputKind::sparse)
    return random_bits(stream, i) % sparse_one_in == 0 ? uniform : T(0);
  if constexpr (std::is_integral_v<T>)
    return uniform;
  else
    return real(uniform, kind, stream, i);
}

}  // namespace

void reshape(const Array& uniform, InputKind kind, std::uint64_t stream) {
  const auto& spec = uniform.spec;
  dispatch_all(spec.dtype, [&]<typename T>(T) {
    T* const data = static_cast<T*>(uniform.data);
    fill_parallel(data, spec.count, [=](std::int64_t i) {
      return element(data[i], kind, own_streams + stream,
                     static_cast<std::uint64_t>(i));
    });
    if (!has_planted(kind)) return;
    for (std::int64_t p = 0; p < count_planted(spec.count); ++p) {
      const bool negative =
          random_bits(planted_stream + stream, static_cast<std::uint64_t>(p)) %
              2 !=
          0;
      data[planted_place(spec.count, p)] =
          static_cast<T>(negative ? -planted_value : planted_value);
    }
  });
}

}  // namespace parlab::reference
