#define BOOST_TEST_MODULE parlab
#include <boost/test/included/unit_test.hpp>
