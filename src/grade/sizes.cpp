// Sizes that reveal mistakes.
#include <algorithm>
#include <random>
#include <vector>

#include "grade/grading.hpp"
#include "sweep/emulated_size.hpp"

namespace parlab::grade {
namespace {

// Limits of a grid or a block; just beyond each of them mistakes show.
constexpr std::int64_t of_a_block = 32, threads_of_a_block = 1024,
                       blocks_in_y = 65535,
                       of_a_block_of_blocks = 256 * threads_of_a_block;
constexpr double emulated_s_at_most = 2;  // for a size that was drawn

class Drawing {
 public:
  Drawing(const Workload& workload, Dtype dtype, std::uint64_t seed)
      : workload_(workload), dtype_(dtype), engine_(seed) {}

  // Draws a problem whose extents exceed `beyond` by up to `by`.
  void draw(const std::vector<std::int64_t>& beyond, std::int64_t by) {
    keep_some(problem(beyond, by));
  }
  // The largest square exceeds the threads of a block, if time permits.
  void draw_square(std::int64_t beyond, std::int64_t by) {
    keep_some(complete_size(workload_, {odd_or_even(beyond + 1, by)}));
  }
  void draw_with_large_parameters(const std::vector<std::int64_t>& beyond,
                                  std::int64_t by) {
    if (!workload_.parameters().empty())
      keep(with_large_parameters(workload_, problem(beyond, by)));
  }

  std::vector<Size> sizes;

 private:
  Size problem(const std::vector<std::int64_t>& beyond, std::int64_t by) {
    std::vector<std::int64_t> typed;
    for (const auto least : beyond)
      typed.push_back(odd_or_even(least + 1, by));
    if (typed.size() > 1 && typed[0] == typed[1]) typed[1] += 2;
    return complete_size(workload_, typed);
  }
  // Every second one has other parameters.
  void keep_some(Size size) {
    if (sizes.size() % 2 == 1) size = with_other_parameters(workload_, size);
    keep(std::move(size));
  }
  void keep(Size size) {
    if (emulated_seconds(workload_.work(size, dtype_)) <= emulated_s_at_most)
      sizes.push_back(std::move(size));
  }
  // Alternates between odd and even.
  std::int64_t odd_or_even(std::int64_t least, std::int64_t by) {
    odd_ = !odd_;
    const auto drawn =
        static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(by));
    return (least + drawn) / 2 * 2 + (odd_ ? 1 : 2);
  }

  const Workload& workload_;
  Dtype dtype_;
  std::mt19937_64 engine_;
  bool odd_ = false;
};

}  // namespace

std::vector<Size> hidden_sizes(const Workload& workload, Dtype dtype,
                               std::uint64_t seed) {
  Drawing drawing(workload, dtype, seed);
  const auto extents = count_extents(workload);
  const auto each = [&](std::int64_t least) {
    return std::vector(extents, least);
  };
  drawing.draw(each(0), of_a_block);
  // A vector gets as many elements as a matrix.
  drawing.draw(each(extents == 1 ? threads_of_a_block : of_a_block), 150);
  drawing.draw(each(extents == 1 ? 40 * threads_of_a_block : 2 * of_a_block),
               200);
  drawing.draw_with_large_parameters(
      each(extents == 1 ? 40 * threads_of_a_block : of_a_block), of_a_block);
  // Tall and wide: each extent in turn is the long one, as long as time
  // permits.
  std::vector long_ones{blocks_in_y, threads_of_a_block};
  if (extents == 1) long_ones.insert(long_ones.begin(), of_a_block_of_blocks);
  for (std::size_t i = 0; i < extents; ++i) {
    for (const auto least : long_ones) {
      auto beyond = each(0);
      beyond[i] = least;
      const auto before = drawing.sizes.size();
      drawing.draw(beyond, 6);
      if (drawing.sizes.size() > before) break;
    }
  }
  return drawing.sizes;
}

std::vector<Size> hidden_squares(const Workload& workload, Dtype dtype,
                                 std::uint64_t seed) {
  Drawing drawing(workload, dtype, seed);
  drawing.draw_square(0, of_a_block);
  for (const auto least : {of_a_block, 4 * of_a_block, threads_of_a_block})
    drawing.draw_square(least, of_a_block);
  return drawing.sizes;
}

std::vector<Size> sizes_for(const Assignment& assignment,
                            const Variant& variant) {
  const auto& workload = *assignment.workload;
  const auto extents = count_extents(workload);
  std::vector<Size> sizes;
  const auto add = [&](Size size, bool asked) {
    for (std::size_t i = 0; !asked && i < extents; ++i) {
      const auto of = variant.multiple_of;
      size[i] = (size[i] + of - 1) / of * of;
    }
    if (!asked && variant.multiple_of > 1) {
      size =
          size_to_emulate(workload, size, assignment.dtype, emulated_s_at_most);
    }
    if (std::ranges::find(sizes, size) == sizes.end())
      sizes.push_back(std::move(size));
  };
  for (const auto& size : assignment.sizes)
    add(size, assignment.sizes_asked);
  for (const auto& size : assignment.hidden)
    add(size, assignment.hidden_asked);
  return sizes;
}

}  // namespace parlab::grade
