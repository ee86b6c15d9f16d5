#include "report/console.hpp"

#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

#include "core/text.hpp"
#include "render/words.hpp"

namespace parlab {

void Progress::start(std::size_t total) {
  const auto now = std::chrono::steady_clock::now();
  total_ = total;
  shown_at_ -= now - begin_;
  begin_ = now;
}

void Progress::show(const std::string& what, double done) {
  show(what, done, std::chrono::steady_clock::now() - begin_);
}

void Progress::show(const std::string& what, double done,
                    std::chrono::duration<double> elapsed) {
  constexpr std::chrono::milliseconds at_least{100};
  constexpr std::chrono::seconds at_least_in_pipe{10};
  const auto kind = what.substr(0, what.find(' '));
  const auto since = elapsed - shown_at_;
  if (width_ == 0 ? since < at_least_in_pipe
                  : shown_ && kind == kind_ && since < at_least)
    return;
  kind_ = kind;
  shown_at_ = elapsed;
  const double total = static_cast<double>(total_), seconds = elapsed.count();
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
  std::string line = "[" + std::to_string(static_cast<int>(100 * share)) + "%";
  // the first per cent are not representative
  if (share > 0.02 && seconds > 1)
    line += ", " + time_span(seconds * (1 / share - 1)) + " left";
  line = total > 0 ? line + "] " + what : what;
  if (width_ == 0) {
    out_ << "parlab: " << line << std::endl;
    return;
  }
  // the last column would wrap
  out_ << "\r\033[K" << line.substr(0, width_ - 1) << std::flush;
  shown_ = true;
}

void Progress::clear() {
  if (shown_) out_ << "\r\033[K" << std::flush;
  shown_ = false;
}

std::size_t terminal_width(int descriptor) {
  // A terminal without escape sequences cannot show a line that changes.
  const char* const kind = std::getenv("TERM");
  const std::string_view name = kind == nullptr ? "" : kind;
  if (name.empty() || name == "dumb" || name == "unknown" ||
      isatty(descriptor) == 0)
    return 0;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1
             ? size.ws_col
             : 80;
}

Looks looks_of(int descriptor) {
  Looks looks;
  const auto columns = terminal_width(descriptor);
  if (columns == 0) return looks;
  constexpr std::size_t narrowest = 40;
  looks.width = std::clamp(columns, narrowest, looks.width);
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  looks.colours = variable("NO_COLOR").empty();
  for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto locale = variable(name);
    if (locale.empty()) continue;
    const bool utf8 = locale.find("UTF-8") != std::string::npos ||
                      locale.find("utf8") != std::string::npos;
    looks.letters = utf8 ? Letters::unicode : Letters::ascii;
    break;
  }
  return looks;
}

void Console::point(const std::vector<Record>& records) {
  progress_.clear();
  reporter_.point(records);
}

void Console::note(const Detail& detail) {
  progress_.clear();
  messages_ << "parlab: " << words(detail) << std::endl;
}

}  // namespace parlab
