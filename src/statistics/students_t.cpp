#include "statistics/students_t.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>

namespace parlab {
namespace {

using Quick =
    boost::math::policies::policy<boost::math::policies::promote_double<false>,
                                  boost::math::policies::digits10<8>>;
using Distribution = boost::math::students_t_distribution<double, Quick>;

}  // namespace

StudentsT::StudentsT(double freedom) : freedom_(std::min(freedom, 1e3)) {}

double StudentsT::below(double t) const {
  return boost::math::cdf(Distribution(freedom_), t);
}

double StudentsT::above(double t) const {
  return below(-t);
}

double StudentsT::quantile(double probability) const {
  return boost::math::quantile(Distribution(freedom_), probability);
}

}  // namespace parlab
