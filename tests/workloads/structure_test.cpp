// Arrays of structure, declared by any author: they are written as declared in
// all kinds of inputs, and what is derived for the others follows them.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "filled.hpp"
#include "reference/loop_workload.hpp"

using namespace parlab;
using namespace parlab::reference;

namespace {

// Each element of y is the sum of some elements of x. All go to the first one,
// or each to its own: `to` is 0 or 1.
struct Scatter {
  template <typename T, typename Out = T>
  struct Args {
    const std::uint8_t* place;
    const T* x;
    Out* y;
    std::int64_t n, places;
  };
  template <typename T, typename Out = T>
  static Args<T, Out> bind(const NamedArrays& arrays,
                           const std::int64_t* size) {
    return {arrays.get<const std::uint8_t>("place"), arrays.get<const T>("x"),
            arrays.get<Out>("y"), size[0], size[1]};
  }
};

std::int64_t place_of(const Size& size, std::int64_t i) {
  return size[2] * (i % size[1]);
}

constexpr auto sum_up =
    []<typename In, typename Out>(const Scatter::Args<In, Out>& p) {
      for (std::int64_t place = 0; place < p.places; ++place) {
        typename In::Number sum = 0;
        for (std::int64_t i = 0; i < p.n; ++i) {
          if (p.place[i] == place) sum += p.x[i];
        }
        p.y[place] = sum;
      }
    };

const LoopWorkload<Scatter, decltype(sum_up), float, double> scatter(
    {.name = "fake_scatter",
     .summary = "",
     .extents = {"n", "places"},
     .parameters = {{"to", 1, 0, 1}},
     .arrays = {structure<std::uint8_t>(
                    "place", [](const Size& size) { return size[0]; },
                    place_of),
                in("x", {"n"}), out("y", {"places"})},
     .flops = [](const Size& size) { return 1.0 * size[0]; }});

struct Filled : testing::Filled {
  Filled(const Size& of_size, Dtype dtype, InputKind kind)
      : testing::Filled(scatter, of_size, dtype, kind) {}
};

constexpr InputKind kinds[] = {
    InputKind::uniform, InputKind::integers, InputKind::wide,
    InputKind::zeros,   InputKind::ones,     InputKind::whole,
    InputKind::normal,  InputKind::spread,   InputKind::sparse};

// The largest magnitude of x.
template <typename T>
double largest(const Filled& filled, std::int64_t count) {
  const T* const x = filled.get<const T>("x");
  double most = 0;
  for (std::int64_t i = 0; i < count; ++i)
    most = std::max(most, std::abs(static_cast<double>(x[i])));
  return most;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(structure)

BOOST_AUTO_TEST_CASE(is_as_declared_in_all_kinds_of_inputs) {
  for (const auto kind : kinds) {
    for (const Size& size : {Size{1, 1, 1}, Size{1003, 7, 1}, Size{64, 5, 0}}) {
      const Filled filled(size, Dtype::f32, kind);
      const auto* const place = filled.get<const std::uint8_t>("place");
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < size[0]; ++i)
        wrong += place[i] != place_of(size, i);
      BOOST_TEST(wrong == 0, to_string(kind) << " " << to_string(size));
    }
  }
}

BOOST_AUTO_TEST_CASE(other_inputs_are_not_all_alike) {
  const std::int64_t n = 1000;
  for (const auto kind :
       {InputKind::uniform, InputKind::integers, InputKind::wide}) {
    const Filled filled({n, 125, 1}, Dtype::f64, kind);
    const double* const x = filled.get<const double>("x");
    BOOST_TEST(std::ranges::count(x, x + n, x[n / 2]) < n / 2, to_string(kind));
  }
}

// As many terms as there are in the sums of this structure: few of those that
// meet in one sum are not zero.
BOOST_AUTO_TEST_CASE(wide_inputs_are_thin_where_sums_are_long) {
  const std::int64_t n = 4096;
  const auto zeros = [&](std::int64_t to) {
    const Filled filled({n, 128, to}, Dtype::f32, InputKind::wide);
    const float* const x = filled.get<const float>("x");
    return std::count(x, x + n, 0.f);
  };
  BOOST_TEST(zeros(0) > n * 9 / 10);
  BOOST_TEST(zeros(1) < zeros(0));
}

// Partial sums of 2^21 whole numbers up to 8 are not all exact in float. So the
// numbers are smaller there, and equality is still demanded.
BOOST_AUTO_TEST_CASE(whole_inputs_are_small_where_sums_are_long) {
  const std::int64_t n = (1 << 21) + 1;
  for (const std::int64_t to : {0, 1}) {
    const Size size{n, 2, to};
    Filled filled(size, Dtype::f32, InputKind::integers);
    BOOST_TEST(largest<float>(filled, n) == (to == 0 ? 7 : 8));
    auto* const y = filled.get<float>("y");
    const auto* const x = filled.get<const float>("x");
    std::fill_n(y, size[1], 0.f);
    for (std::int64_t i = 0; i < n; ++i)
      y[place_of(size, i)] += x[i];
    BOOST_TEST(filled.right());
    ++y[0];
    BOOST_TEST(!filled.right());
  }
}

BOOST_AUTO_TEST_CASE(an_element_that_its_type_does_not_hold_is_refused) {
  const Size size{300, 300, 1};
  const HostArrays arrays(scatter.arrays(size, Dtype::f32));
  BOOST_CHECK_EXCEPTION(
      scatter.fill(arrays.view(), size, Dtype::f32, InputKind::uniform),
      UsageError, [](const UsageError& error) {
        return std::string(error.what())
                   .find(
                       "fake_scatter 300x300 to=1: the elements of place are "
                       "too "
                       "large for its type, uint8") != std::string::npos;
      });
}

// All variants would agree about whatever lies there.
BOOST_AUTO_TEST_CASE(inputs_that_a_declaration_forgets_are_named) {
  const auto declared = [](const char* written, const char* dimension) {
    return Declaration{
        .name = "fake",
        .summary = "",
        .extents = {"n", "places"},
        .arrays = {in("x", {dimension}), in("z", {"n"}), out("y", {"places"})},
        .fill = for_all_kinds<float, double>(
            [=]<typename T>(T, const Arrays& inputs, const Size&, InputKind) {
              for (const char* name : {"x", written})
                fill_input<T>(inputs, name, [](auto i) { return T(i); });
            })};
  };
  const auto fill = [&](const char* written, const char* dimension) {
    const LoopWorkload<Scatter, decltype(sum_up), float, double> fake(
        declared(written, dimension));
    HostArrays arrays(fake.arrays({40, 7}, Dtype::f32));
    fake.fill(arrays.view(), {40, 7}, Dtype::f32, InputKind::uniform);
  };
  const auto says = [](const std::string& text) {
    return [=](const std::logic_error& error) {
      return std::string(error.what()).find(text) != std::string::npos;
    };
  };
  fill("z", "n");
  BOOST_CHECK_EXCEPTION(fill("zz", "n"), std::logic_error,
                        says("but z is not written"));
  BOOST_CHECK_EXCEPTION(fill("z", "nn"), std::logic_error,
                        says("has the dimension 'nn'"));
}

BOOST_AUTO_TEST_SUITE_END()
