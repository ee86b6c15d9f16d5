// Counters of kernels that are emulated: under the names that ncu's have, and
// line by line.
#pragma once

#include <optional>

#include "counters/least_time.hpp"
#include "counters/ncu.hpp"
#include "facts/document.hpp"
#include "places/counted.hpp"
#include "sweep/observer.hpp"

namespace parlab {

// Executes each emulated record of the points that passed once more, counts,
// and gives it its counters. Returns what they say of each kernel: its lines,
// the costliest first, and what is wrong with them. A note says why a kernel
// cannot be counted.
struct HowToCount {
  // a folder, or empty; there each line that costs much gets a picture of its
  // first warp
  std::string pictures = {};
  std::optional<RecordedGpu> like = {};  // whose least times are wanted
  bool registers = false;                // by nvcc, where it is
  bool sass = false;                     // what nvcc made of the source
  std::string reports = {};  // of a GPU: a folder for ncu's own files, or empty
};
Document count_emulated(std::vector<std::vector<Record>>& points,
                        const HowToCount& how, Observer& observer);

// Executes the configuration of a record by emulation, as on a GPU of this
// shape, and counts. Throws PointError where it cannot be emulated.
Counted counted_by_emulation(const Record& record, const GpuShape& gpu = {});

// Sums over all lines, by the names of counters/ncu.hpp.
Counters counters_of(const Counted& counted);

// What is wrong, in one sentence for each line that costs much, and one for how
// the kernel was launched, with the numbers that show it. Empty: nothing is.
std::vector<Text> diagnoses(const Counted& counted);

// One kernel: its lines beside their source, the sentences below.
Section section_of(const Record& record, const Counted& counted);

}  // namespace parlab
