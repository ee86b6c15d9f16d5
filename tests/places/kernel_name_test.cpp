#include <boost/test/unit_test.hpp>

#include "places/kernel_name.hpp"

using parlab::plain_kernel_name;

BOOST_AUTO_TEST_SUITE(kernel_name)

BOOST_AUTO_TEST_CASE(is_what_stands_in_the_source) {
  BOOST_TEST(
      plain_kernel_name(
          "void (anonymous namespace)::dmv_naive<float>(float const*, long)") ==
      "dmv_naive<float>");
  BOOST_TEST(plain_kernel_name("(anonymous namespace)::plain(int*)") ==
             "plain");
  BOOST_TEST(
      plain_kernel_name("void parlab::(anonymous namespace)::add<double, "
                        "(anonymous namespace)::Tile>(double*)") ==
      "add<double, Tile>");
}

BOOST_AUTO_TEST_CASE(without_parameters_is_kept) {
  BOOST_TEST(plain_kernel_name("execution_begins") == "execution_begins");
  BOOST_TEST(plain_kernel_name("") == "");
}

BOOST_AUTO_TEST_SUITE_END()
