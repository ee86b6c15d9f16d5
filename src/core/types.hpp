// The words of the framework: dtype, size, tunables, verdict, error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/narrow.hpp"

namespace parlab {

enum class Dtype { f32, f64, i32, f16, bf16 };

template <typename T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>) {
    return Dtype::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Dtype::f64;
  } else if constexpr (std::is_same_v<T, half>) {
    return Dtype::f16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return Dtype::bf16;
  } else {
    static_assert(std::is_same_v<T, int>,
                  "a dtype is float, double, int, half or bfloat16");
    return Dtype::i32;
  }
}

// "float", "double", "int", "half", "bfloat16"
std::string_view to_string(Dtype dtype);
Dtype dtype_from_string(std::string_view text);  // throws UsageError
std::size_t bytes_of(Dtype dtype);

// throws std::logic_error: no type of those dispatched to
[[noreturn]] void refuse(Dtype dtype);

// Calls f with a value of the C++ type that dtype names, which must be one
// of Types: dispatch<float, double>(d, [](auto zero) { ... }).
template <typename First, typename... Rest, typename F>
decltype(auto) dispatch(Dtype dtype, F&& f) {
  if constexpr (sizeof...(Rest) > 0) {
    if (dtype != dtype_of<First>())
      return dispatch<Rest...>(dtype, std::forward<F>(f));
  }
  if (dtype != dtype_of<First>()) refuse(dtype);
  return f(First{});
}
template <typename F>
decltype(auto) dispatch_all(Dtype dtype, F&& f) {
  return dispatch<float, double, int, half, bfloat16>(dtype,
                                                      std::forward<F>(f));
}

// The extents of a problem, in the order of the workload's dimension names.
using Size = std::vector<std::int64_t>;
std::string to_string(const Size& size);  // "4096x4096"

// What a variant lets its user choose, by name: {"block": 256}.
class Tunables : public std::map<std::string, std::int64_t> {
 public:
  using map::map;
  // throws std::logic_error when absent
  std::int64_t operator[](const std::string& name) const;
};
// "block=256 threads=4", "" when there are none
std::string to_string(const Tunables& tunables);

// A number that may be chosen, and what it may be.
struct Tunable {
  std::string name;       // "block"
  std::int64_t fallback;  // used when nothing is asked for
  std::int64_t min, max;
  std::int64_t multiple_of = 1;
  bool power_of_two = false;

  bool allows(std::int64_t value) const;
  std::string allowed() const;  // "32..1024 in steps of 32"
};

enum class Verdict {
  passed,
  wrong_result,
  launch_failed,
  out_of_memory,
  not_supported,
  no_device,
  unverified,
  timed_out,
  implausible  // right where it was looked at, but its time cannot be
};
std::string_view to_string(Verdict verdict);
Verdict verdict_from_string(std::string_view text);

// The state of the caches before a timed execution: as the one before
// left them, or flushed.
enum class Cache { hot, cold };
std::string_view to_string(Cache cache);
Cache cache_from_string(std::string_view text);  // throws UsageError

// The user asked for something that cannot be: exit status 2, one line.
struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};

// One point failed; the sweep goes on and the record carries this verdict.
struct PointError : std::runtime_error {
  PointError(Verdict why, const std::string& what)
      : runtime_error(what), verdict(why) {}
  Verdict verdict;
  // that could not be loaded, where that is the reason
  std::string library = {};
};

// A library that a variant calls is not there.
struct LibraryMissing : PointError {
  LibraryMissing(const std::string& soname, const std::string& why)
      : PointError(Verdict::not_supported,
                   soname + " could not be loaded: " + why) {
    library = soname;
  }
};

// How a variant computes products of floats, and their sums, where that
// is not IEEE in the dtype: it decides the error bound. tf32, bf16, fp16:
// operands rounded to that type, sums in float. x3, x6, x9: each operand is
// split into parts of that type, two for x3 and three for the others; of the
// products of the parts this many are added up, the largest.
enum class Arithmetic {
  ieee,
  tf32,
  bf16,
  fp16,
  tf32x3,
  bf16x3,
  fp16x3,
  bf16x6,
  bf16x9
};
std::string_view to_string(Arithmetic arithmetic);  // "ieee", "tf32", ...
// throws std::invalid_argument
Arithmetic arithmetic_from_string(std::string_view text);

// What the problem must do at the least: the floor under any implementation.
struct Work {
  double flops = 0;
  // each input read once, each output written once, in device memory
  double bytes = 0;
  // how many of these bytes are written; decides which roof is the right one
  double written = 0;
};

}  // namespace parlab
