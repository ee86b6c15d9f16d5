// Images in files: PGM and PPM, binary (P5, P6) and ASCII (P2, P3), with 8 or
// 16 bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
void write_image(const Image& image, const std::string& path);

}  // namespace parlab
