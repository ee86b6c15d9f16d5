// Why a verdict or a note is as it is: a value with arguments. Nobody
// searches its words, which stand in facts/causes.inc and are put together
// in render/.
#pragma once

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
  // {0}, {1} ... of its words
  std::vector<Argument> arguments = {};
  // what else is to be said, or what lies behind it
  std::vector<Detail> further = {};

  explicit operator bool() const { return cause != Cause::none; }
  bool operator==(const Detail&) const = default;
};
// For debuggers: the cause's name and its arguments.
std::string to_string(const Detail& detail);

// A text that has no cause of its own: what a library or an old record says.
Detail other(std::string text);

// what() is for debuggers.
struct ExplainedError : std::runtime_error {
  explicit ExplainedError(Detail why);
  Detail detail;
};

// One point failed; the sweep goes on and the record carries this verdict.
struct PointError : ExplainedError {
  PointError(Verdict why, Detail because)
      : ExplainedError(std::move(because)), verdict(why) {}
  PointError(Verdict why, const std::string& text)
      : PointError(why, other(text)) {}
  Verdict verdict;
  // that could not be loaded, where that is the reason
  std::string library = {};
};

// A library that a variant calls is not there.
struct LibraryMissing : PointError {
  LibraryMissing(const std::string& soname, const std::string& why);
};

// The detail of an ExplainedError; of another error its text.
Detail detail_of(const std::exception& error);

}  // namespace parlab
