#include "core/types.hpp"

#include <array>

namespace parlab {
namespace {

constexpr std::array<std::string_view, 9> verdict_names{
    "passed",        "wrong_result",  "launch_failed",
    "out_of_memory", "not_supported", "no_device",
    "unverified",    "timed_out",     "implausible"};
constexpr std::array<std::string_view, 9> arithmetic_names{
    "ieee",   "tf32",   "bf16",   "fp16",  "tf32x3",
    "bf16x3", "fp16x3", "bf16x6", "bf16x9"};
constexpr std::array dtypes{Dtype::f32, Dtype::f64, Dtype::i32, Dtype::f16,
                            Dtype::bf16};

}  // namespace

std::string_view to_string(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return "float";
    case Dtype::f64:
      return "double";
    case Dtype::i32:
      return "int";
    case Dtype::f16:
      return "half";
    case Dtype::bf16:
      return "bfloat16";
  }
  refuse(dtype);
}

void refuse(Dtype dtype) {
  throw std::logic_error("dtype number " +
                         std::to_string(static_cast<int>(dtype)) +
                         " is none of those that are handled here");
}

Dtype dtype_from_string(std::string_view text) {
  for (const Dtype dtype : dtypes) {
    if (text == to_string(dtype)) return dtype;
  }
  throw UsageError("dtype '" + std::string(text) +
                   "' is unknown: use float, double, int, half or bfloat16");
}

std::size_t bytes_of(Dtype dtype) {
  return dispatch_all(dtype, [](auto zero) { return sizeof(zero); });
}

std::string to_string(const Size& size) {
  std::string text;
  for (const auto extent : size)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

std::int64_t TunableValues::operator[](const char* name) const {
  const auto found = find(name);
  if (found == end()) {
    throw std::logic_error("the variant did not declare the tunable " +
                           std::string(name) + ": name it in .tunables");
  }
  return found->second;
}

std::string to_string(const TunableValues& tunables) {
  std::string text;
  for (const auto& [name, value] : tunables) {
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  }
  return text;
}

std::string_view to_string(Verdict verdict) {
  return verdict_names.at(static_cast<std::size_t>(verdict));
}

std::string_view to_string(Arithmetic arithmetic) {
  return arithmetic_names.at(static_cast<std::size_t>(arithmetic));
}

Arithmetic arithmetic_from_string(std::string_view text) {
  for (std::size_t i = 0; i < arithmetic_names.size(); ++i) {
    if (text == arithmetic_names[i]) return static_cast<Arithmetic>(i);
  }
  throw std::invalid_argument("unknown arithmetic '" + std::string(text) + "'");
}

std::string_view to_string(Cache cache) {
  return cache == Cache::hot ? "hot" : "cold";
}

Cache cache_from_string(std::string_view text) {
  if (text == "hot") return Cache::hot;
  if (text == "cold") return Cache::cold;
  throw UsageError("cache state '" + std::string(text) +
                   "' is unknown: use hot or cold");
}

Verdict verdict_from_string(std::string_view text) {
  for (std::size_t i = 0; i < verdict_names.size(); ++i) {
    if (text == verdict_names[i]) return static_cast<Verdict>(i);
  }
  throw std::invalid_argument("unknown verdict '" + std::string(text) + "'");
}

bool Tunable::allows(std::int64_t value) const {
  if (value < min || value > max || value % multiple_of != 0) return false;
  return !power_of_two || (value & (value - 1)) == 0;
}

std::string Tunable::allowed() const {
  std::string text = std::to_string(min) + " to " + std::to_string(max);
  if (power_of_two) return text + ", a power of two";
  if (multiple_of > 1) text += ", a multiple of " + std::to_string(multiple_of);
  return text;
}

}  // namespace parlab
