// Student's distribution of t.
#pragma once

namespace parlab {

// freedom: degrees of it; beyond a thousand t is the normal distribution, which
// is not told apart from it. Eight digits are right: these are asked of every
// record.
class StudentsT {
 public:
  explicit StudentsT(double freedom);

  // Of a value below t, and above it.
  double below(double t) const;
  double above(double t) const;
  // The t that a value is below with this probability, in (0, 1).
  double quantile(double probability) const;

 private:
  double freedom_;
};

}  // namespace parlab
