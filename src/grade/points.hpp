// Points for a time, by a rule that an instructor writes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "statistics/statistics.hpp"

namespace parlab::grade {

// Straight lines between corners (multiple of the reference's time, points),
// constant outside them.
class PointsRule {
 public:
  // Rules: "full within 1.2x, linear to 0 at 10x" (of 100 points, or "80 within
  // ..."), or corners, "1x:100 2x:80 10x:0". Throws UsageError.
  explicit PointsRule(
      const std::string& text = "full within 1.2x, linear to 0 at 10x");

  // ratio: its time over that of the reference. The interval decides in the
  // student's favour: nobody loses points to noise.
  double of(const Ratio& ratio) const;
  double full() const { return corners_.front().second; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::pair<double, double>> corners_;
};

// Ranks from 1, by estimated times. Times that cannot be told from the fastest
// of a rank share it; the next rank counts all before it: 1, 1, 3. between: a
// factor around 1 by which two may differ in addition.
std::vector<std::size_t> ranks(const std::vector<Uncertain>& times,
                               const Uncertain& between = {1, 0, 1});

}  // namespace parlab::grade
