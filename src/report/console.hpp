// The terminal during a sweep: results go to one stream, progress and notes to
// the other.
#pragma once

#include <unistd.h>

#include <chrono>
#include <iosfwd>
#include <string>

#include "report/reporter.hpp"
#include "sweep/observer.hpp"

namespace parlab {

// Columns of the terminal at a file descriptor; 0 if it is no terminal.
std::size_t terminal_width(int descriptor);
// The looks that this terminal can show: colours unless NO_COLOR is set,
// non-ASCII letters if the environment says UTF-8.
Looks looks_of(int descriptor);

// One line rewritten in place, at most ten times a second: the share done, the
// time left, and the current work; without start(), only that. Without a
// terminal, a line of its own every ten seconds.
class Progress {
 public:
  // width: columns of the terminal that shows messages; 0: no terminal.
  explicit Progress(std::ostream& out,
                    std::size_t width = terminal_width(STDERR_FILENO))
      : out_(out), width_(width) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void start(std::size_t total);
  // done: of the total. The first word of `what` is the kind of work; a new
  // kind is shown at once.
  void show(const std::string& what, double done,
            std::chrono::duration<double> elapsed);
  // elapsed: since start()
  void show(const std::string& what, double done = 0);
  void clear();  // call this before other output

 private:
  std::ostream& out_;
  std::size_t width_, total_ = 0;
  bool shown_ = false;
  std::string kind_;  // the kind of work last shown
  std::chrono::duration<double> shown_at_{};
  std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
};

class Console final : public Observer {
 public:
  Console(Reporter& reporter, std::ostream& messages,
          std::size_t width = terminal_width(STDERR_FILENO))
      : reporter_(reporter), messages_(messages), progress_(messages, width) {}

  void plan(std::size_t measurements) override {
    progress_.start(measurements);
  }
  void working_on(const std::string& what, double done) override {
    progress_.show(what, done);
  }
  void run(const Run& run) override { reporter_.run(run); }
  void point(const std::vector<Record>& records) override;
  void note(const Detail& detail) override;

 private:
  Reporter& reporter_;
  std::ostream& messages_;
  Progress progress_;
};

}  // namespace parlab
