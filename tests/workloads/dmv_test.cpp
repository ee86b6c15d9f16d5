// dmv: the paths of the last rung that small sizes do not take.
#include <boost/test/unit_test.hpp>

#include "support.hpp"

using namespace parlab;

BOOST_AUTO_TEST_SUITE(dmv)

// Beyond emulation's cache: teams of sixteen warps for few rows, of eight for
// long ones, of two and one for short ones; aligned and unaligned rows.
BOOST_AUTO_TEST_CASE(streamed_is_right_at_every_shape) {
  const auto& streamed = testing::variant_called("dmv/cuda/streamed");
  for (const auto dtype : {Dtype::f32, Dtype::f64}) {
    std::vector<Size> sizes{{7, 40000},  {17, 12000}, {90, 4099},  {201, 2044},
                            {203, 1023}, {600, 511},  {1201, 256}, {9000, 33}};
#ifndef PARLAB_EMULATED  // whose cache is small
    sizes.insert(sizes.end(), {{200, 50000},
                               {9000, 1023},
                               {9000, 4001},
                               {3000, 9001},
                               {40000, 511},
                               {60000, 256},
                               {400000, 33},
                               {500, 40001}});
#endif
    for (const auto& size : sizes)
      testing::expect_right(testing::plan_to_verify(streamed, size, dtype));
  }
}

BOOST_AUTO_TEST_SUITE_END()
