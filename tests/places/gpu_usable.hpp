// The precondition of suites that need a GPU, or its emulation.
#pragma once

#include <boost/test/unit_test.hpp>

#include "places/presence.hpp"

namespace parlab::testing {

inline boost::test_tools::assertion_result gpu_usable(
    boost::unit_test::test_unit_id) {
#ifdef PARLAB_EMULATED
  return true;
#else
  return !why_no_gpu().has_value();
#endif
}

}  // namespace parlab::testing
