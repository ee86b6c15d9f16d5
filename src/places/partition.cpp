#include "places/partition.hpp"

#include <algorithm>
#include <stdexcept>

namespace parlab {
namespace {

class Division {
 public:
  Division(const Workload& workload, const Variant& variant, const Size& size)
      : dimensions_(workload.dimensions()), split_(variant.split), size_(size) {
    for (const auto& name : split_) {
      if (std::find(dimensions_.begin(), dimensions_.end(), name) == dimensions_.end()) {
        throw std::logic_error(variant.source + " divides '" + name + "', which " +
                               variant.workload + " does not have");
      }
    }
  }

  bool divides(std::string_view dimension) const {
    return std::find(split_.begin(), split_.end(), dimension) != split_.end();
  }
  // Which of the array's dimensions is divided; nothing: each GPU has a copy.
  std::optional<std::size_t> axis_of(const ArraySpec& array) const {
    const auto& shape = array.shape;
    const auto found = std::find_if(shape.begin(), shape.end(),
                                    [&](const auto& dimension) { return divides(dimension); });
    if (found == shape.end()) return std::nullopt;
    return found - shape.begin();
  }
  std::int64_t extent(std::string_view dimension) const {
    const auto found = std::find(dimensions_.begin(), dimensions_.end(), dimension);
    return size_.at(static_cast<std::size_t>(found - dimensions_.begin()));
  }

  // As many GPUs as have something to do.
  int members(const std::vector<ArraySpec>& arrays, int gpus) const {
    std::int64_t members = gpus;
    for (const auto& array : arrays) {
      if (const auto axis = axis_of(array)) {
        const auto least = *axis == 0 ? std::max<std::int64_t>(array.halo, 1) : 1;
        members = std::min(members, extent(array.shape[*axis]) / least);
      }
    }
    return static_cast<int>(std::max<std::int64_t>(members, 1));
  }

  Size size_of(int i, int members) const {
    Size size = size_;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      if (divides(dimensions_[d]))
        size[d] = end(size_[d], i, members) - begin(size_[d], i, members);
    }
    return size;
  }

  ArrayPart part_of(const ArraySpec& array, int i, int members) const {
    ArrayPart part;
    part.spec = array;
    const auto axis = axis_of(array);
    const auto rows = array.shape.empty() ? array.count : extent(array.shape.front());
    part.rows = rows;
    part.cols = part.pitch = rows == 0 ? 0 : array.count / rows;
    part.whole = !axis;
    if (axis == std::size_t{0}) {
      part.row = begin(rows, i, members);
      part.rows = end(rows, i, members) - part.row;
      if (i > 0) part.above = array.halo;
      if (i + 1 < members) part.below = array.halo;
    } else if (axis) {
      part.col = begin(part.pitch, i, members);
      part.cols = end(part.pitch, i, members) - part.col;
    }
    part.spec.count = part.rows * part.cols;
    return part;
  }

 private:
  static std::int64_t begin(std::int64_t extent, int i, int members) {
    return extent * i / members;
  }
  static std::int64_t end(std::int64_t extent, int i, int members) {
    return begin(extent, i + 1, members);
  }

  std::vector<std::string_view> dimensions_;
  std::vector<std::string> split_;
  Size size_;
};

}  // namespace

std::optional<std::int64_t> ArrayPart::place_of(std::int64_t element) const {
  const auto down = element / pitch - row, across = element % pitch - col;
  if (down < 0 || down >= rows || across < 0 || across >= cols) return std::nullopt;
  return down * cols + across;
}

std::vector<Share> divide(const Workload& workload, const Variant& variant, const Size& size,
                          const std::vector<ArraySpec>& arrays, int gpus) {
  const Division division(workload, variant, size);
  std::vector<ArraySpec> declared;
  for (const auto& array : arrays) {
    if (variant.reads(array) || variant.writes(array)) declared.push_back(array);
  }
  const int members = division.members(declared, gpus);
  std::vector<Share> shares;
  for (int i = 0; i < members; ++i) {
    Share share{division.size_of(i, members), {}};
    for (const auto& array : declared) share.parts.push_back(division.part_of(array, i, members));
    shares.push_back(std::move(share));
  }
  return shares;
}

}  // namespace parlab
