// The rows that a reference goes through. One that takes long says how far it
// is, and can be ended.
#pragma once

#include <cstdint>
#include <functional>

namespace parlab::reference {

// How far a reference is. share: of the rows of its pass, in (0, 1]; 0: not
// known. left_s: seconds for the others.
struct Progress {
  double share = 0, left_s = 0;
};

// While it lives, references that go through their rows on the thread that made
// it call `look` on that thread, about ten times a second. An exception from
// `look` ends the reference, which passes it on.
class Watch {
 public:
  using Look = std::function<void(const Progress&)>;
  explicit Watch(Look look);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Look look_;
};

// A pass of so many rows begins; below 0: of a number that is not known.
// Without it each loop over rows is a pass.
void begin_pass(double rows);
// Runs it on one thread, and counts the rows it goes through.
double count_rows(const std::function<void()>& run);

// Calls strip(begin, end) for all of [first, last) in parts of at least that
// many rows, on all cores. Throws what a strip throws. Inside of a strip it
// calls strip(first, last), and counts no rows.
void each_strip(
    std::int64_t first, std::int64_t last,
    const std::function<void(std::int64_t begin, std::int64_t end)>& strip,
    std::int64_t at_least = 1);

// Calls f(row) for all rows of [first, last), on all cores.
template <typename F>
void each_row(std::int64_t first, std::int64_t last, const F& f) {
  each_strip(first, last, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = begin; row < end; ++row)
      f(row);
  });
}

}  // namespace parlab::reference
