// Counters of emulated kernels, under the names of ncu's counters and line by
// line.
#pragma once

#include <optional>

#include "counters/least_time.hpp"
#include "counters/ncu.hpp"
#include "facts/document.hpp"
#include "places/counted.hpp"
#include "sweep/observer.hpp"

namespace parlab {

// Executes each emulated record that passed once more, counts, and gives the
// record its counters. Returns a section for each kernel with its lines, the
// costliest first, and the problems found. If a kernel cannot be counted, a
// note gives the reason.
struct HowToCount {
  // a folder, or empty; each costly line gets a picture of its first warp there
  std::string pictures = {};
  std::optional<RecordedGpu> like = {};  // the GPU whose least times are wanted
  bool registers = false;                // from nvcc, if it is available
  bool sass = false;                     // nvcc's code for the source
  // for a GPU: a folder for ncu's own files, or empty
  std::string reports = {};
};
Document count_emulated(std::vector<std::vector<Record>>& points,
                        const HowToCount& how, Observer& observer);

// Executes the configuration of a record by emulation, as on a GPU of this
// shape, and counts. Throws PointError if it cannot be emulated.
Counted counted_by_emulation(const Record& record, const GpuShape& gpu = {});

// Sums over all lines, under the names of counters/ncu.hpp.
Counters counters_of(const Counted& counted);

// The problems found, with the numbers that show them: one sentence for each
// costly line, and one for the launch of the kernel. Empty if there are none.
std::vector<Text> diagnoses(const Counted& counted);

// Whether the record has the largest size at which its variant was tried; at a
// small size most lanes have nothing to do.
bool is_largest(const Record& record,
                const std::vector<std::vector<Record>>& points);

// One kernel: its lines beside their source, followed by the sentences. A GPU's
// counts lack what ncu does not say; nothing is said of it.
Section section_of(const Record& record, const Counted& counted);

}  // namespace parlab
