#include "places/partition.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/grid.hpp"
#include "core/text.hpp"
#include "verify/problem.hpp"

namespace parlab {
namespace {

class Division {
 public:
  Division(const Workload& workload, const Variant& variant, const Size& size)
      : dimensions_(workload.dimensions()), split_(variant.split), size_(size) {
    for (const auto& name : split_) {
      if (std::ranges::find(dimensions_, name) != dimensions_.end()) continue;
      throw std::logic_error(variant.source + " divides '" + name +
                             "', which " + variant.workload +
                             " does not have: its dimensions are " +
                             join(dimensions_, ", "));
    }
  }

  // On a grid, no GPU would be responsible for an output that several have
  // copies of.
  void require_outputs_divided(const std::vector<ArraySpec>& arrays) const {
    for (const auto& array : arrays) {
      if (array.role != Role::output || !on_grid()) continue;
      if (divided(array, down) && divided(array, across)) continue;
      throw std::logic_error(
          "a variant divides " + array.name +
          " on a grid of GPUs, but not along two dimensions of it");
    }
  }

  // The number of GPUs that have something to do.
  int members(const std::vector<ArraySpec>& arrays, int gpus) const {
    int members = std::max(gpus, 1);
    while (members > 1 && !suffices(arrays, members))
      --members;
    return members;
  }

  // An extent that an output is not divided along stays whole. On a grid one
  // array may be divided along it by rows and another by columns.
  Size size_of(const std::vector<ArraySpec>& arrays, int i, int members) const {
    Size size = size_;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      if (!divides(dimensions_[d])) continue;
      const auto way = way_of(dimensions_[d], arrays);
      if (way) size[d] = share_of(size_[d], *way, i, members).count;
    }
    return size;
  }

  ArrayPart part_of(const ArraySpec& array, int i, int members) const {
    ArrayPart part;
    part.spec = array;
    const auto rows =
        array.shape.empty() ? array.count : extent(array.shape.front());
    part.rows = rows;
    part.cols = part.pitch = rows == 0 ? 0 : array.count / rows;
    part.whole = true;
    for (const auto way : ways) {
      if (!divided(array, way)) continue;
      part.whole = false;
      const auto extent = way == down ? part.rows : part.cols;
      const auto share = share_of(extent, way, i, members);
      (way == down ? part.row : part.col) = share.begin;
      (way == down ? part.rows : part.cols) = share.count;
      if (way == across) continue;
      if (share.begin > 0) part.above = array.halo;
      if (share.begin + share.count < rows) part.below = array.halo;
    }
    part.spec.count = part.rows * part.cols;
    return part;
  }

 private:
  // The dimension of an array that is divided: its first or its second.
  using Way = std::size_t;
  static constexpr Way down = 0, across = 1, ways[] = {down, across};

  bool divides(std::string_view dimension) const {
    return std::find(split_.begin(), split_.end(), dimension) != split_.end();
  }
  bool on_grid() const { return split_.size() > 1; }

  // Without a grid, the first of the array's named dimensions is divided; with
  // one, each of them is.
  bool divided(const ArraySpec& array, Way way) const {
    const auto& shape = array.shape;
    if (way >= shape.size() || !divides(shape[way])) return false;
    return on_grid() || way == down || !divides(shape[down]);
  }
  std::optional<Way> way_of(std::string_view dimension,
                            const std::vector<ArraySpec>& arrays) const {
    for (const auto& array : arrays) {
      if (on_grid() && array.role != Role::output) continue;
      for (const auto way : ways) {
        if (divided(array, way) && array.shape[way] == dimension) return way;
      }
    }
    return std::nullopt;
  }
  std::int64_t extent(std::string_view dimension) const {
    const auto found =
        std::find(dimensions_.begin(), dimensions_.end(), dimension);
    return size_.at(static_cast<std::size_t>(found - dimensions_.begin()));
  }

  struct Interval {
    std::int64_t begin, count;
  };
  int parts_of(Way way, int members) const {
    if (!on_grid()) return members;
    const auto [rows, cols] = grid_of(members);
    return way == down ? rows : cols;
  }
  Interval share_of(std::int64_t extent, Way way, int i, int members) const {
    const int parts = parts_of(way, members);
    if (on_grid()) {
      const int cols = grid_of(members).cols;
      i = way == down ? i / cols : i % cols;
    }
    const auto begin = share_begin(extent, i, parts);
    return {begin, share_begin(extent, i + 1, parts) - begin};
  }

  // Whether each GPU has something to do and holds all rows of its neighbours'
  // halos.
  bool suffices(const std::vector<ArraySpec>& arrays, int members) const {
    return std::all_of(
        arrays.begin(), arrays.end(), [&](const ArraySpec& array) {
          return std::all_of(std::begin(ways), std::end(ways), [&](Way way) {
            if (!divided(array, way)) return true;
            const auto least =
                way == down ? std::max<std::int64_t>(array.halo, 1) : 1;
            return extent(array.shape[way]) / parts_of(way, members) >= least;
          });
        });
  }

  std::vector<std::string_view> dimensions_;
  std::vector<std::string> split_;
  Size size_;
};

}  // namespace

std::optional<std::int64_t> ArrayPart::place_of(std::int64_t element) const {
  const auto down = element / pitch - row, across = element % pitch - col;
  if (down < 0 || down >= rows || across < 0 || across >= cols)
    return std::nullopt;
  return down * cols + across;
}

std::vector<Share> divide(const Workload& workload, const Variant& variant,
                          const Size& size,
                          const std::vector<ArraySpec>& arrays, int gpus) {
  const Division division(workload, variant, size);
  std::vector<ArraySpec> declared;
  for (const auto& array : arrays) {
    if (variant.reads(array) || variant.writes(array))
      declared.push_back(array);
  }
  division.require_outputs_divided(declared);
  const int members = division.members(declared, gpus);
  std::vector<Share> shares;
  for (int i = 0; i < members; ++i) {
    Share share{division.size_of(declared, i, members), {}};
    for (const auto& array : declared)
      share.parts.push_back(division.part_of(array, i, members));
    shares.push_back(std::move(share));
  }
  return shares;
}

int gpus_that_pay(const Workload& workload, const Variant& variant,
                  const Size& size, Dtype dtype, int gpus) {
  return bytes_needed(workload, size, dtype, {&variant}) < variant.pays_from
             ? 1
             : gpus;
}

}  // namespace parlab
