// The reason for a verdict or a note, as a value with arguments. No code
// searches its words, which are in facts/causes.inc and are assembled in
// render/.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/types.hpp"
#include "facts/quantity.hpp"

namespace parlab {

enum class Cause {
#define PARLAB_CAUSE(name, words) name,
#include "facts/causes.inc"
#undef PARLAB_CAUSE
};
inline constexpr const char* names_of_causes[] = {
#define PARLAB_CAUSE(name, words) #name,
#include "facts/causes.inc"
#undef PARLAB_CAUSE
};
constexpr EnumTable table_of(Cause) {
  return EnumTable("cause", names_of_causes);
}

// A name, a count, or a quantity.
using Argument = std::variant<std::string, std::int64_t, Quantity>;

struct Detail {
  Cause cause = Cause::none;
  // for {0}, {1} ... in its words
  std::vector<Argument> arguments = {};
  // additional causes, or the causes behind it
  std::vector<Detail> further = {};

  explicit operator bool() const { return cause != Cause::none; }
  bool operator==(const Detail&) const = default;
};
inline Argument argument_of(std::string_view text) {
  return std::string(text);
}
inline Argument argument_of(const Quantity& quantity) {
  return quantity;
}
Argument argument_of(std::integral auto count) {
  return static_cast<std::int64_t>(count);
}
Argument argument_of(NamedEnum auto value) {
  return argument_of(to_string(value));
}
// A cause and what it is about: texts, counts, quantities, values of enums.
template <typename... T>
Detail because(Cause cause, const T&... arguments) {
  return {.cause = cause, .arguments = {argument_of(arguments)...}};
}

// For debuggers: the name of the cause and its arguments.
std::string to_string(const Detail& detail);

// A text without a cause of its own, from a library or an old record.
Detail other(std::string text);

// what() is for debuggers only.
struct ExplainedError : std::runtime_error {
  explicit ExplainedError(Detail why);
  template <typename... T>
  explicit ExplainedError(Cause cause, const T&... arguments)
      : ExplainedError(because(cause, arguments...)) {}
  Detail detail;
};

// One point failed. The sweep continues, and the record gets this verdict.
struct PointError : ExplainedError {
  PointError(Verdict why, Detail because)
      : ExplainedError(std::move(because)), verdict(why) {}
  template <typename... T>
  PointError(Verdict why, Cause cause, const T&... arguments)
      : PointError(why, because(cause, arguments...)) {}
  PointError(Verdict why, const std::string& text)
      : PointError(why, other(text)) {}
  Verdict verdict;
  // the library that could not be loaded, if that is the reason
  std::string library = {};
};

// A library that a variant calls is not installed.
struct LibraryMissing : PointError {
  LibraryMissing(const std::string& soname, const std::string& why);
};

// The detail of an ExplainedError; the text of any other error.
Detail detail_of(const std::exception& error);

// How a process ended, from the status of waitpid(): ended_with_status or
// ended_by_signal.
Detail end_of_process(int wait_status);

}  // namespace parlab
