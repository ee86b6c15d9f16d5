#include "facts/cause.hpp"

#include <sys/wait.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "facts/cannot_run.hpp"

namespace parlab {
std::string to_string(const Detail& detail) {
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
    text += "; " + to_string(more);
  return text;
}

Detail other(std::string text) {
  return because(Cause::other, std::move(text));
}

ExplainedError::ExplainedError(Detail why)
    : runtime_error(to_string(why)), detail(std::move(why)) {}

Detail detail_of(const std::exception& error) {
  const auto* explained = dynamic_cast<const ExplainedError*>(&error);
  return explained != nullptr ? explained->detail : other(error.what());
}

Detail end_of_process(int wait_status) {
  if (WIFEXITED(wait_status))
    return because(Cause::ended_with_status, WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  const char* const name = sigabbrev_np(signal);
  return because(Cause::ended_by_signal, strsignal(signal),
                 name != nullptr ? name : std::to_string(signal));
}

LibraryMissing::LibraryMissing(const std::string& soname,
                               const std::string& why)
    : PointError(Verdict::not_supported, Cause::library_missing, soname, why) {
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
