// The words of the framework: dtype, size, tunables, verdict, error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace parlab {

enum class Dtype { f32, f64, i32 };

template <typename T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, float>) {
    return Dtype::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Dtype::f64;
  } else {
    static_assert(std::is_same_v<T, int>, "a dtype is float, double or int");
    return Dtype::i32;
  }
}

std::string_view to_string(Dtype dtype);         // "float", "double", "int"
Dtype dtype_from_string(std::string_view text);  // throws UsageError
std::size_t bytes_of(Dtype dtype);

// Calls f with a value of the C++ type that dtype names: dispatch(d, [](auto zero) { ... }).
template <typename F>
decltype(auto) dispatch(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::f32:
      return f(float{});
    case Dtype::f64:
      return f(double{});
    default:
      return f(int{});
  }
}

// The extents of a problem, in the order of the workload's dimension names.
using Size = std::vector<std::int64_t>;
std::string to_string(const Size& size);  // "4096x4096"

// What a variant lets its user choose, by name: {"block": 256}.
class Tunables : public std::map<std::string, std::int64_t> {
 public:
  using map::map;
  std::int64_t operator[](const std::string& name) const;  // throws std::logic_error when absent
};
std::string to_string(const Tunables& tunables);  // "block=256 threads=4", "" when there are none

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
  timed_out
};
std::string_view to_string(Verdict verdict);
Verdict verdict_from_string(std::string_view text);

// The state of the caches before a timed execution: as the one before left them, or flushed.
enum class Cache { hot, cold };
std::string_view to_string(Cache cache);
Cache cache_from_string(std::string_view text);  // throws UsageError

// The user asked for something that cannot be: exit status 2, one line.
struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};

// One point failed; the sweep goes on and the record carries this verdict.
struct PointError : std::runtime_error {
  PointError(Verdict why, const std::string& what) : runtime_error(what), verdict(why) {}
  Verdict verdict;
};

// How a variant does its arithmetic, for the error bound: the unit roundoff of each product.
enum class Arithmetic { ieee, tf32, bf16 };

// What the problem must do at the least: the floor under any implementation.
struct Work {
  double flops = 0;
  double bytes = 0;    // each input read once, each output written once, in device memory
  double written = 0;  // how many of these bytes are written; decides which roof is the right one
};

}  // namespace parlab
