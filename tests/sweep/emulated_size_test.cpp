// The size that replaces one for which emulation takes too long.
#include "sweep/emulated_size.hpp"

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "core/variant.hpp"

using namespace parlab;

namespace {

const Workload& called(const char* name) {
  return *Registry::instance().workload(name);
}

Size emulated(const char* workload, Size size, double seconds = 1) {
  return size_to_emulate(called(workload), size, Dtype::f32, seconds);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(emulated_sizes)

BOOST_AUTO_TEST_CASE(one_that_is_small_enough_is_itself) {
  BOOST_TEST((emulated("matmul", {61, 64, 100}) == Size{61, 64, 100}));
  BOOST_TEST((emulated("vector_sum", {65537}) == Size{65537}));
}

BOOST_AUTO_TEST_CASE(divisors_stay_and_squares_stay_squares) {
  for (const std::int64_t side : {1024, 960, 4096, 20000, 3 * 512, 1000000}) {
    const auto size = emulated("matmul", {side, side, side});
    BOOST_TEST_CONTEXT(side << " as " << to_string(size)) {
      BOOST_TEST(size[0] < side);
      BOOST_TEST(size[0] % std::gcd(side, std::int64_t{64}) == 0);
      BOOST_TEST((size[0] == size[1] && size[1] == size[2]));
    }
  }
  BOOST_TEST(emulated("dmv", {20001, 20001})[0] % 2 == 1);
  BOOST_TEST(emulated("dmv", {30000, 30000})[0] % 240 == 0);
}

BOOST_AUTO_TEST_CASE(short_extents_are_shortened_last) {
  const auto tall = emulated("dmv", {50'000'000, 6});
  BOOST_TEST(tall[0] > 65535);
  BOOST_TEST(tall[1] == 6);
}

// Moving elements costs time too.
BOOST_AUTO_TEST_CASE(no_flops_are_not_no_work) {
  const auto moved = emulated("transpose", {100000, 100000});
  BOOST_TEST(moved[0] < 10000);
  const auto& transpose = called("transpose");
  BOOST_TEST(emulated_seconds(transpose.work({1000, 1000}, Dtype::f32)) > 0);
}

BOOST_AUTO_TEST_CASE(whatever_is_asked_for_fits_in_the_end) {
  for (const auto* workload : Registry::instance().workloads()) {
    Size size = complete_size(*workload, {1'000'003});
    const auto fits =
        size_to_emulate(*workload, size, workload->dtypes().front(), 1);
    BOOST_TEST(
        emulated_seconds(workload->work(fits, workload->dtypes().front())) <= 1,
        workload->name());
  }
}

BOOST_AUTO_TEST_CASE(other_parameters_differ_and_are_allowed) {
  for (const auto* workload : Registry::instance().workloads()) {
    const auto extents = count_extents(*workload);
    const auto parameters = workload->parameters();
    Size size(extents + parameters.size(), 40);
    for (int round = 0; round < 3; ++round) {
      // the defaults, then what took their place
      for (std::size_t i = 0; round == 0 && i < parameters.size(); ++i)
        size[extents + i] = parameters[i].fallback;
      const Size other = with_other_parameters(*workload, size);
      for (std::size_t i = 0; i < size.size(); ++i) {
        BOOST_TEST((other[i] == size[i]) == (i < extents),
                   workload->name() << " " << to_string(other));
        if (i >= extents) BOOST_TEST(parameters[i - extents].allows(other[i]));
      }
      size = other;
    }
  }
}

// A kernel that swaps two arrays in every step may be right for even numbers of
// steps alone.
BOOST_AUTO_TEST_CASE(parameters_are_tried_odd_and_even) {
  int seen = 0;
  for (const auto* workload : Registry::instance().workloads()) {
    const auto extents = count_extents(*workload);
    Size size(extents, 40);
    for (const auto& parameter : workload->parameters())
      size.push_back(parameter.fallback);
    const Size tried[] = {size, with_other_parameters(*workload, size),
                          with_large_parameters(*workload, size)};
    for (std::size_t i = extents; i < size.size(); ++i) {
      const auto& parameter = workload->parameters()[i - extents];
      if (parameter.power_of_two || parameter.multiple_of % 2 == 0) continue;
      const auto odd = std::ranges::count_if(
          tried, [=](const Size& one) { return one[i] % 2 != 0; });
      BOOST_TEST((odd > 0 && odd < 3), workload->name());
      ++seen;
    }
  }
  BOOST_TEST(seen >= 3);
}

BOOST_AUTO_TEST_SUITE_END()
