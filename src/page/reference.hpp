// The one size and dtype at which all summaries of a workload are made, and
// the one limit that its variants are measured by there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/measured.hpp"
#include "statistics/statistics.hpp"

namespace parlab::page {

// How a variant computes, beside the others at its point.
enum class Precision { full, alike, reduced };
// alike: by other means than IEEE arithmetic, but its errors were within the
// bound of that on all inputs they are known of.
Precision precision_of(const Record& record);
Entries of_precision(const Entries& entries, Precision precision);

struct Reference {
  std::string workload;
  Dtype dtype = Dtype::f32;
  Size size;
  Entries point;    // all that was measured there, on both halves
  Entries contest;  // on the GPU, where there is one: what is summed up
};
// The largest size that nearly all variants of the faster half were measured
// at, of those at which the CPU was measured too, where there are such.
std::optional<Reference> reference_of(const Measured& measured,
                                      const std::string& workload);
// Of each workload that has times.
std::vector<Reference> references(const Measured& measured);

// Of the least time that memory and units allow at this point, by the best of
// the roofs that records in it have: one limit for all that compute alike on
// one half of the machine, on as many GPUs. So what is slower never has more.
std::optional<double> of_limit(const Entry& entry, const Entries& point);

// A gain is what bought this at the least, by its whole interval.
inline constexpr double worth_mentioning = 1.05;

// The best of the ladder's full precision that was written here, of one GPU.
const Entry* fastest_own(const Entries& point);
const Entry* fastest_library(const Entries& point);
// The fastest of other arithmetic that is as accurate, where it is faster than
// all in full precision.
const Entry* fastest_alike(const Entries& point);

}  // namespace parlab::page
