// Student's distribution of t.
#pragma once

namespace parlab {

// freedom: its degrees, above 0, or std::domain_error; beyond a thousand they
// count as a thousand, where t is all but the normal distribution. Right to
// eight digits, and no more, for every record asks for them.
class StudentsT {
 public:
  explicit StudentsT(double freedom);

  // The probability of a value below t, and of one above it.
  double below(double t) const;
  double above(double t) const;
  // The t below which a value is with this probability, in (0, 1).
  double quantile(double probability) const;

 private:
  double freedom_;
};

}  // namespace parlab
