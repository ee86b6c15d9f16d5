// Images in files, filters by name, and the filtering of images by a variant of
// convsep.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "core/variant.hpp"
#include "facts/cause.hpp"

namespace parlab {

struct Image {
  std::int64_t rows = 0, cols = 0;
  int channels = 1;                    // 1: grey; 3: red, green, blue
  int most = 255;                      // the value of white, at most 65535
  std::vector<std::uint16_t> samples;  // rows x cols x channels

  bool operator==(const Image&) const = default;
};

// name: for messages. Throws UsageError, which says what is wrong and where.
Image parse_image(const std::string& bytes, const std::string& name);
std::string format_image(const Image& image);  // in binary

// path: a file, or "generated:ROWSxCOLS", a landscape with smooth parts, edges
// and texture.
Image read_image(const std::string& path);

// The workload that filters images.
inline constexpr std::string_view filtering_workload = "convsep";

// The 2 radius + 1 weights of "box:R" (all equal), "gaussian:S" (standard
// deviation S in pixels, cut off at 3 S) or "file:PATH" (an odd number of
// weights). Weights of the first two add up to 1. Throws UsageError.
std::vector<double> parse_filter(const std::string& text);

struct Filtered {
  Image image;  // rounded, and limited to black and white
  Verdict verdict = Verdict::unverified;
  Detail detail = {};  // why it is not `passed`
  bool emulated = false;
};

// Executes the variant once per channel, in dtype, and compares with the
// oracle.
Filtered filter_image(const Image& image, const std::vector<double>& weights,
                      const Variant& variant, Dtype dtype,
                      const TunableValues& tunables);

}  // namespace parlab
