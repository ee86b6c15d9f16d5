// Reads numbers, lists and ranges.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace parlab {

// "4096", "16,32,64", "16:512:16" (step), "16:512:*2" (factor), "1:4" (step 1),
// or mixed "1,4:16:4". K, M and G after a number are powers of 1024. name: for
// the error message, "--block" or "GPU_BLOCK_SIZE". Values in the given order,
// without repetitions. Throws UsageError. typed: what the error shows if text
// is only a part of it.
std::vector<std::int64_t> parse_list(const std::string& name,
                                     const std::string& text, std::int64_t min,
                                     std::int64_t max,
                                     const std::string& typed = {});

// "4096x1000", one number each. Throws UsageError; name, typed: as above.
Size parse_extents(const std::string& name, const std::string& text,
                   const std::string& typed);

// One word: a list of square sizes or ranges, of extents "4096x1000", or of
// array sizes. "64MiB" and "1MiB:1GiB:*4" are squares (or vectors) of that many
// bytes in the first of the workload's types; "64MiB+3" has three rows and
// columns more. The result is complete, and small enough that 63 bits can count
// the arrays' bytes. parameters: the requested values, by name; each size is
// combined with all of them unless it has its own ("512x512x16").
using Parameters = std::map<std::string, std::vector<std::int64_t>>;
std::vector<Size> parse_sizes(const Workload& workload, const std::string& text,
                              const Parameters& parameters);

// The sizes that were typed, without repetitions. The course's programs take M
// N K: with their variables, as many numbers as the problem has extents are one
// problem and not a list of sizes.
std::vector<Size> sizes_of(const Arguments& arguments);

// The smallest square with this many bytes to move or operations to do. Its
// edge is a power of two, at least 64.
Size smallest_square_with(const Workload& workload, Dtype dtype, double bytes,
                          double flops);

// The values of a setting: a list, one whole number, a positive number "0.5",
// or a percentage ("5%" or "5" is 0.05; above 0, at most 1000 %). Throw
// UsageError.
std::vector<std::int64_t> parse_list(const Setting& setting, std::int64_t min,
                                     std::int64_t max);
std::int64_t parse_count(const Setting& setting, std::int64_t min,
                         std::int64_t max);
double parse_positive(const Setting& setting, double max);
double parse_percent(const Setting& setting);

}  // namespace parlab
