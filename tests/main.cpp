#define BOOST_TEST_MODULE parlab
#include <boost/test/unit_test.hpp>
