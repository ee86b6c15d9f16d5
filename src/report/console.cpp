#include "report/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ostream>

#include "render/words.hpp"

namespace parlab {

void Progress::start(std::size_t total) {
  total_ = total;
  begin_ = std::chrono::steady_clock::now();
}

void Progress::show(const std::string& what, std::size_t done) {
  show(what, done, std::chrono::steady_clock::now() - begin_);
}

void Progress::show(const std::string& what, std::size_t done,
                    std::chrono::duration<double> elapsed) {
  if (width_ == 0) return;
  std::string line = "[";
  line += std::to_string(done) + "/" + std::to_string(total_) + "] ";
  if (done > 0 && done <= total_) {
    line += time_left(elapsed.count() * static_cast<double>(total_ - done) /
                      static_cast<double>(done)) +
            " left, ";
  }
  line = (line + what).substr(0, width_ - 1);  // the last column would wrap
  out_ << "\r\033[K" << line << std::flush;
  shown_ = true;
}

void Progress::clear() {
  if (shown_) out_ << "\r\033[K" << std::flush;
  shown_ = false;
}

std::string time_left(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) +
           " s";
  }
  return std::to_string(whole / 3600) + " h " +
         std::to_string(whole % 3600 / 60) + " min";
}

std::size_t terminal_width(int descriptor) {
  // One that obeys no escape sequences shows no line that changes.
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

void Console::point(const std::vector<Record>& records) {
  progress_.clear();
  reporter_.point(records);
}

void Console::note(const Detail& detail) {
  progress_.clear();
  messages_ << "parlab: " << words(detail) << std::endl;
}

}  // namespace parlab
