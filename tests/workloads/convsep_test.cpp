// The oracle of convsep must find every kind of wrong weight or neighbour, and
// the variants must be right at every radius and shape of tile.
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <limits>

#include "core/random.hpp"
#include "support.hpp"
#include "text.hpp"
#include "workloads/convsep.hpp"

using namespace parlab;
using testing::contains, testing::described, testing::right_or_no_gpu;

namespace {

// Mistakes of a wrong kernel: it takes the weights from the end, leaves out the
// first or the last of them, reads one pixel too far, repeats border pixels or
// wraps around instead of reading zeros, or does only one of the two passes.
enum class Mistake {
  none,
  flipped,
  first_left_out,
  last_left_out,
  shifted,
  clamped,
  wrapped,
  rows_only,
  columns_only
};
const std::vector<Mistake> mistakes{
    Mistake::flipped,   Mistake::first_left_out, Mistake::last_left_out,
    Mistake::shifted,   Mistake::clamped,        Mistake::wrapped,
    Mistake::rows_only, Mistake::columns_only};

template <typename T>
struct Image {
  Size size;
  std::vector<T> a, w, b;
  Arrays arrays;
  std::unique_ptr<Oracle> oracle;

  Image(InputKind kind, const Size& size_)
      : size(size_), a(size[0] * size[1]), w(2 * size[2] + 1), b(a.size()) {
    const auto& workload = *Registry::instance().workload("convsep");
    std::vector<Array> made;
    for (const auto& spec : workload.arrays(size, dtype_of<T>())) {
      if (!spec.layout_of.empty()) continue;
      auto& memory = spec.name == "a" ? a : spec.name == "w" ? w : b;
      BOOST_REQUIRE(static_cast<std::size_t>(spec.count) == memory.size());
      made.push_back({spec, memory.data()});
    }
    arrays = Arrays(made);
    workload.fill(arrays, size, dtype_of<T>(), kind);
    oracle =
        workload.oracle(arrays, size, dtype_of<T>(), kind, Arithmetic::ieee);
    compute(Mistake::none);
  }

  // One pass over the n pixels at `from`, `step` apart.
  void pass(const T* from, T* to, std::int64_t n, std::int64_t step,
            Mistake mistake) const {
    const std::int64_t radius = size[2];
    for (std::int64_t i = 0; i < n; ++i) {
      T sum = 0;
      for (auto k = -radius; k <= radius; ++k) {
        if (mistake == Mistake::first_left_out && k == -radius) continue;
        if (mistake == Mistake::last_left_out && k == radius) continue;
        auto at = i + k + (mistake == Mistake::shifted);
        if (mistake == Mistake::clamped)
          at = std::clamp(at, std::int64_t{0}, n - 1);
        if (mistake == Mistake::wrapped) at = (at + n * (radius + 1)) % n;
        if (at < 0 || at >= n) continue;
        sum += w[mistake == Mistake::flipped ? radius - k : radius + k] *
               from[at * step];
      }
      to[i * step] = sum;
    }
  }
  void compute(Mistake mistake) {
    std::vector<T> between(a);
    for (std::int64_t row = 0;
         row < size[0] && mistake != Mistake::columns_only; ++row) {
      pass(&a[row * size[1]], &between[row * size[1]], size[1], 1, mistake);
    }
    b = between;
    for (std::int64_t col = 0; col < size[1] && mistake != Mistake::rows_only;
         ++col) {
      pass(&between[col], &b[col], size[0], size[1], mistake);
    }
    for (auto& array : arrays) {
      if (array.spec.name == "b")
        std::memcpy(array.data, b.data(), b.size() * sizeof(T));
    }
  }
  bool right() const { return !oracle->check(arrays); }
};

using Types = std::tuple<float, double>;
const std::vector<InputKind> kinds{InputKind::integers, InputKind::uniform};

// Every variant at these sizes, with those of these tunables that it has.
void all_pass(const std::vector<Size>& sizes, const std::vector<Dtype>& dtypes,
              const std::map<std::string, std::vector<std::int64_t>>& tunables,
              const std::string& only = "") {
  for (const auto* variant : Registry::instance().variants("convsep")) {
    if (!only.empty() && variant->name != only) continue;
    for (const auto dtype : dtypes) {
      Plan plan = testing::plan_to_verify(*variant, sizes[0], dtype);
      plan.sizes = sizes;
      for (const auto& [name, values] : tunables) {
        if (variant->tunable(name) != nullptr) plan.tunables[name] = values;
      }
      if (variant->tunable("threads") != nullptr) {
        plan.tunables["threads"] = {dtype == Dtype::f32 ? 2 : 1};
      }
      testing::expect_right(plan);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(convsep)

BOOST_AUTO_TEST_CASE_TEMPLATE(every_mistake_is_found, T, Types) {
  for (const auto kind : kinds) {
    for (const auto& size :
         {Size{19, 25, 3}, Size{40, 7, 16}, Size{9, 11, 5}}) {
      Image<T> image(kind, size);
      BOOST_TEST(image.right());
      for (const auto mistake : mistakes) {
        image.compute(mistake);
        BOOST_TEST(!image.right(), "mistake " << static_cast<int>(mistake)
                                              << " at " << to_string(size));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(every_pixel_counts_and_rounding_is_allowed, T,
                              Types) {
  for (const auto kind : kinds) {
    Image<T> image(kind, {17, 300, 2});  // more than one tile of the reference
    for (const auto& [row, col] :
         {std::pair{0, 0}, {16, 299}, {0, 299}, {16, 0}, {8, 256}}) {
      T& pixel = image.arrays.template get<T>("b")[row * 300 + col];
      const T before = pixel;
      pixel += 40 * static_cast<T>(unit_roundoff(dtype_of<T>())) *
               std::max(std::abs(pixel), T{8});
      BOOST_TEST(!image.right());
      pixel = std::numeric_limits<T>::quiet_NaN();
      BOOST_TEST(!image.right());
      pixel = before;
    }
    BOOST_TEST(image.right());
    if (kind == InputKind::integers) continue;
    T& pixel = image.arrays.template get<T>("b")[1234];
    pixel += static_cast<T>(unit_roundoff(dtype_of<T>())) * pixel;
    BOOST_TEST(image.right());
  }
}

// A pixel of twice its value has an error of that value.
BOOST_AUTO_TEST_CASE(the_largest_error_is_told_in_roundings_and_in_bounds) {
  Image<float> image(InputKind::uniform, {17, 300, 2});
  const auto error = [&] {
    return image.oracle->largest_error(image.arrays).value();
  };
  BOOST_TEST(error().of_bound > 0);
  BOOST_TEST(error().of_bound <= 1);
  float& pixel = image.arrays.get<float>("b")[1234];
  const float before = pixel;
  pixel *= 2;
  BOOST_TEST(error().of_rounding == 0x1p24, boost::test_tools::tolerance(1e-3));
  const double bounds = error().of_bound;
  BOOST_TEST(bounds > 1e3);
  for (const double off : {0.9, 1.1}) {
    pixel = before + static_cast<float>(before * off / bounds);
    BOOST_TEST(image.right() == (off < 1));
  }

  const Image<float> whole(InputKind::integers, {17, 300, 2});
  BOOST_TEST(!whole.oracle->largest_error(whole.arrays).has_value());
}

// Sums of products of 100 bits, compared with whole numbers of 128 bits. Of one
// of them little is left: (2^30 + 1)^2 - 2^60 - 2^31 = 1.
BOOST_AUTO_TEST_CASE(doubles_are_compared_with_sums_of_twice_the_bits) {
  constexpr std::int64_t cols = 200, radius = 8;
  Image<double> image(InputKind::uniform, {1, cols, radius});
  const auto whole = [](std::uint64_t stream, std::int64_t i) {
    const auto bits = static_cast<std::int64_t>(random_bits(stream, i) >> 13);
    return bits - (std::int64_t{1} << 50);
  };
  const auto pixel = [&](std::int64_t i) -> std::int64_t {
    return i == 0 ? (1 << 30) + 1 : i < 3 ? 1 << 30 : i < 20 ? 0 : whole(1, i);
  };
  const auto weight = [&](std::int64_t k) -> std::int64_t {
    return k == radius       ? 1
           : k == radius - 1 ? -2
           : k == radius - 2 ? -(1 << 30)
           : k == radius - 3 ? (1 << 30) + 1
                             : whole(2, k);
  };
  auto* const a = image.arrays.get<double>("a");
  auto* const w = image.arrays.get<double>("w");
  auto* const b = image.arrays.get<double>("b");
  for (std::int64_t i = 0; i < cols; ++i)
    a[i] = static_cast<double>(pixel(i));
  for (std::int64_t k = 0; k <= 2 * radius; ++k)
    w[k] = static_cast<double>(weight(k));
  std::fill_n(b, cols, std::numeric_limits<double>::quiet_NaN());
  const auto oracle = Registry::instance().workload("convsep")->oracle(
      image.arrays, image.size, Dtype::f64, InputKind::uniform,
      Arithmetic::ieee);
  int differ = 0;
  for (std::int64_t i = 0; i < cols; ++i) {
    __int128 exact = 0;
    double sum = 0;
    for (auto k = -radius; k <= radius; ++k) {
      if (i + k < 0 || i + k >= cols) continue;
      exact += __int128{pixel(i + k)} * weight(k + radius);
      sum += a[i + k] * w[k + radius];
    }
    const auto wrong = oracle->check(image.arrays);
    BOOST_TEST_REQUIRE(wrong.has_value());
    BOOST_TEST(wrong->where == "b[0," + std::to_string(i) + "]");
    BOOST_TEST(wrong->expected == static_cast<double>(exact));
    differ += sum != wrong->expected;
    b[i] = wrong->expected;
  }
  BOOST_TEST(b[3] == 1);
  BOOST_TEST(!oracle->check(image.arrays).has_value());
  BOOST_TEST(differ > 50);
}

// Partial sums in float stay whole numbers below 2^24, whatever the inputs.
BOOST_AUTO_TEST_CASE(integers_are_exact_in_float) {
  const Image<float> image(InputKind::integers, {30, 40, Convsep::max_radius});
  double weights = 0, pixels = 0;
  for (const auto w : image.w) {
    BOOST_TEST(w != 0);
    weights += std::abs(static_cast<double>(w));
  }
  for (const auto a : image.a)
    pixels = std::max(pixels, std::abs(static_cast<double>(a)));
  BOOST_TEST(weights * weights * pixels < 0x1p24);
}

BOOST_AUTO_TEST_CASE(the_padded_layout_is_the_image_between_zeros) {
  const auto& workload = *Registry::instance().workload("convsep");
  const Size size{3, 5, 2};
  std::vector<float> a(15), padded(27);
  const auto specs = workload.arrays(size, Dtype::f32);
  workload.fill(Arrays({{specs[0], a.data()}, {specs[1], padded.data()}}), size,
                Dtype::f32, InputKind::uniform);
  for (int row = 0; row < 3; ++row) {
    for (int col = 0; col < 9; ++col) {
      const bool inside = col >= 2 && col < 7;
      BOOST_TEST(padded[row * 9 + col] ==
                 (inside ? a[row * 5 + col - 2] : 0.0F));
    }
  }
}

BOOST_AUTO_TEST_CASE(all_radii_are_right) {
  all_pass({{18, 12, 4}, {20, 39, 16}, {3, 64, 16}, {9, 21, 33}, {40, 1, 33}},
           {Dtype::f32}, {});
  all_pass({{5, 36, 16}, {2, 8, 64}, {9, 21, 33}}, {Dtype::f64}, {});
}

// Tiles smaller and larger than the block, wider and taller than the image;
// strips of every height.
BOOST_AUTO_TEST_CASE(all_tiles_are_right) {
  const std::vector<Size> image{{21, 37, 3}};
  all_pass(image, {Dtype::f32},
           {{"block_x", {16}},
            {"block_y", {3}},
            {"w1", {1, 5, 64}},
            {"h1", {2, 40}},
            {"w2", {3, 64}},
            {"h2", {1, 24}}},
           "tiled");
  all_pass(image, {Dtype::f32}, {{"w2", {1, 5, 64}}, {"h2", {2, 40}}}, "tiled");
  all_pass(image, {Dtype::f64}, {{"load", {1, 2, 3}}, {"store", {0, 1, 2}}},
           "tiled");
  all_pass(image, {Dtype::f32}, {{"load", {1, 2, 3}}, {"store", {0, 1, 2}}},
           "global");
  all_pass(image, {Dtype::f32}, {{"load", {3}}, {"store", {1}}}, "padded");
  all_pass({{21, 37, 3}, {40, 300, 3}}, {Dtype::f32, Dtype::f64},
           {{"block", {32, 96}}, {"strip", {1, 7, 1000}}}, "fused");
  all_pass({{90, 70, 2}}, {Dtype::f32}, {{"width", {1, 17, 64, 100}}},
           "strips");
}

// Strips of 16 rows, of 32 and of all; more columns than a block has, even and
// odd numbers of them; padded weights.
BOOST_AUTO_TEST_CASE(all_products_with_bands_are_right) {
  const std::vector<Size> images{
      {50, 140, 3}, {33, 131, 8}, {17, 5, 0}, {30, 140, 20}, {30, 131, 20}};
  const std::map<std::string, std::vector<std::int64_t>> strips{
      {"strip", {1, 17, 1000}}};
  all_pass(images, {Dtype::f32}, strips, "tf32x3");
  all_pass(images, {Dtype::f64}, strips, "tensor");
}

// Two parts hold fewer bits than a float, but sums of many products of random
// signs do not show it: their largest error is at most twice that of floats.
BOOST_AUTO_TEST_CASE(floats_in_two_parts_err_like_floats) {
  std::map<std::string, std::map<std::int64_t, double>> errors;
  for (const auto* variant : Registry::instance().variants("convsep")) {
    if (variant->name != "tf32x3" && variant->name != "fused") continue;
    Plan plan = testing::plan_to_verify(*variant, {40, 40, 8});
    plan.sizes = {{40, 40, 8}, {40, 40, 16}, {20, 40, 64}};
    for (const auto& record : testing::sweep(plan)) {
      if (record.verdict == Verdict::no_device) return;
      BOOST_TEST(right_or_no_gpu(record), described(record));
      errors[variant->name][record.size[2]] =
          record.errors.at("uniform_of_bound");
    }
  }
  BOOST_TEST_REQUIRE(errors["fused"].size() == 3U);
  BOOST_TEST_REQUIRE(errors["tf32x3"].size() == 3U);
  for (const auto& [radius, error] : errors["fused"]) {
    const double in_parts = errors["tf32x3"][radius];
    BOOST_TEST(in_parts > 0);
    BOOST_TEST(in_parts <= 2 * error, "radius " << radius << ": " << in_parts
                                                << " of the bound, floats "
                                                << error);
  }
}

BOOST_AUTO_TEST_CASE(
    a_tile_beyond_the_shared_memory_is_refused_with_its_bytes) {
  for (const auto* variant : Registry::instance().variants("convsep")) {
    if (variant->name != "tiled") continue;
    Plan plan = testing::plan_to_verify(*variant, {64, 64, 16});
    plan.tunables = {{"w1", {1024}}, {"h1", {1024}}};
    const auto records = testing::sweep(plan);
    BOOST_REQUIRE_EQUAL(records.size(), 1U);
    if (records[0].verdict == Verdict::no_device) continue;
    BOOST_TEST(to_string(records[0].verdict) == "not_supported");
    const auto bytes = std::to_string((1024 + 32) * 1024 * sizeof(float));
    BOOST_TEST(contains(records[0].detail, bytes));
  }
}

BOOST_AUTO_TEST_SUITE_END()
