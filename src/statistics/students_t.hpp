// Student's t distribution.
#pragma once

namespace parlab {

// freedom: degrees of freedom, above 0, else std::domain_error. Above a
// thousand they count as a thousand, where t is nearly the normal distribution.
// Accurate to only eight digits, because every record asks for it.
class StudentsT {
 public:
  explicit StudentsT(double freedom);

  // The probability of a value below t, and that of one above it.
  double below(double t) const;
  double above(double t) const;
  // The t below which a value lies with this probability, in (0, 1).
  double quantile(double probability) const;

 private:
  double freedom_;
};

}  // namespace parlab
