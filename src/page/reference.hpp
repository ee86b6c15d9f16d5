// The one size and dtype for all summaries of a workload, and the one limit
// with which its variants are compared there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/measured.hpp"
#include "record/speedup.hpp"

namespace parlab::page {

Entries of_precision(const Entries& entries, Precision precision);

struct Reference {
  std::string workload;
  Dtype dtype = Dtype::f32;
  Size size;
  Entries point;    // all entries there, on GPU and CPU
  Entries contest;  // on the GPU if there is one: the variants that summaries
                    // show
};
// The largest size at which nearly all variants of the GPU (or else the CPU)
// were measured; if possible, one at which the CPU was measured too.
std::optional<Reference> reference_of(const Measured& measured,
                                      const std::string& workload);
// For each workload that has times.
std::vector<Reference> references(const Measured& measured);

// The share of the limit that it reaches. The limit is the least time that
// memory and units allow at this point, by the best of the roofs in its
// records. All variants of the same arithmetic on the CPU, or on as many GPUs,
// have one limit, so a slower one never shows a larger share. nullopt: there is
// none, or it changed while this one was measured.
std::optional<double> of_limit(const Entry& entry, const Entries& point);

// A rung counts as a gain if its whole interval is above this.
inline constexpr double worth_mentioning = 1.05;

// The best in full precision, for one GPU, that is not a library's.
const Entry* fastest_own(const Entries& point);
const Entry* fastest_library(const Entries& point);
// The fastest variant of other arithmetic that is as accurate, if it is faster
// than all in full precision.
const Entry* fastest_alike(const Entries& point);

}  // namespace parlab::page
