#include "facts/cause.hpp"

#include <cstdarg>
#include <cstdio>
#include <iterator>

#include "facts/cannot_run.hpp"

namespace parlab {
namespace {

constexpr std::string_view names[] = {
#define PARLAB_CAUSE(name, words) #name,
#include "facts/causes.inc"
#undef PARLAB_CAUSE
};

std::string for_debuggers(const Detail& detail) {
  std::string text;
  if (detail.cause != Cause::other) text = to_string(detail.cause);
  for (const auto& argument : detail.arguments) {
    if (!text.empty()) text += ' ';
    if (const auto* name = std::get_if<std::string>(&argument)) {
      text += *name;
    } else if (const auto* count = std::get_if<std::int64_t>(&argument)) {
      text += std::to_string(*count);
    } else {
      const auto& quantity = std::get<Quantity>(argument);
      text += std::to_string(quantity.value);
      text += to_string(quantity.unit);
    }
  }
  for (const auto& more : detail.further)
    text += "; " + for_debuggers(more);
  return text;
}

}  // namespace

std::string_view to_string(Cause cause) {
  return names[static_cast<std::size_t>(cause)];
}

Cause cause_from_string(std::string_view text) {
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == text) return static_cast<Cause>(i);
  }
  return Cause::other;
}

Detail other(std::string text) {
  return {.cause = Cause::other, .arguments = {std::move(text)}};
}

PointError::PointError(Verdict why, Detail because)
    : runtime_error(for_debuggers(because)),
      verdict(why),
      detail(std::move(because)) {}

LibraryMissing::LibraryMissing(const std::string& soname,
                               const std::string& why)
    : PointError(
          Verdict::not_supported,
          Detail{.cause = Cause::library_missing, .arguments = {soname, why}}) {
  library = soname;
}

void cannot_run(const char* why, ...) {
  char text[240];
  std::va_list values;
  va_start(values, why);
  std::vsnprintf(text, sizeof text, why, values);
  va_end(values);
  throw PointError(Verdict::not_supported, text);
}

}  // namespace parlab
