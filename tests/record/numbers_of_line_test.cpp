// Long arrays of numbers are taken out of a line before the JSON parser sees
// it: these are the numbers that it would have read.
#include "record/numbers_of_line.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "record/json.hpp"

using namespace parlab;

BOOST_AUTO_TEST_SUITE(numbers_of_line)

BOOST_AUTO_TEST_CASE(an_array_of_the_outermost_object_is_taken) {
  std::string line =
      R"({"a":{"us":[1,2]},"b":"\"us\":[3]","us":[4,5.5,6e-1,0],"c":[7],"us":[8]})";
  BOOST_TEST(
      take_numbers(line, "us").value() == (std::vector<double>{4, 5.5, 0.6, 0}),
      boost::test_tools::per_element());
  BOOST_TEST(line ==
             R"({"a":{"us":[1,2]},"b":"\"us\":[3]","us":[],"c":[7],"us":[8]})");
}

BOOST_AUTO_TEST_CASE(anything_else_is_left_to_the_parser) {
  for (const auto* array : {"[]",
                            "[ 1]",
                            "[1, 2]",
                            "[1,]",
                            "[,1]",
                            "[1",
                            "[1,",
                            "[",
                            "[1,null]",
                            "[1.]",
                            "[.5]",
                            "[01]",
                            "[00]",
                            "[1e]",
                            "[1e+]",
                            "[1.5.5]",
                            "[+1]",
                            "[-]",
                            "[inf]",
                            "[nan]",
                            "[0x1p3]",
                            "[4,5.5,-6e-1,0]",  // no time is negative
                            "[1_0]",
                            "[\"1\"]",
                            "[[1]]",
                            "[1}",
                            "[12345678901234567890.]",
                            "[1.2345678901234567890e]"}) {
    const std::string line = std::string("{\"us\":") + array + "}";
    std::string left = line;
    BOOST_TEST(!take_numbers(left, "us").has_value(), line);
    BOOST_TEST(left == line);
  }
  for (const auto* line : {"", "\"", "\"us\":[1]", "{\"us", "{\"us\"",
                           "{\"us\":", "{\"us\\", "[[1]]"}) {
    std::string left = line;
    BOOST_TEST(!take_numbers(left, "us").has_value(), line);
    BOOST_TEST(left == line);
  }
}

BOOST_AUTO_TEST_CASE(numbers_are_read_to_the_last_bit) {
  std::mt19937_64 random(1);
  std::vector<std::string> texts;
  for (const char* format :
       {"%.0f", "%.1f", "%.3f", "%.7f", "%.15f", "%.8g", "%.15g", "%.16g",
        "%.17g", "%.7e", "%.17e", "%.30f"}) {
    for (int i = 0; i < 400; ++i) {
      const double magnitude =
          std::uniform_real_distribution<>(-12, 15)(random);
      const double value = std::uniform_real_distribution<>(1, 10)(random) *
                           std::pow(10, magnitude);
      char text[128];
      std::snprintf(text, sizeof text, format, value);
      texts.emplace_back(text);
    }
  }
  std::string line = "{\"us\":[";
  for (const auto& text : texts)
    line += text + ",";
  line.back() = ']';
  line += "}";
  const auto taken = take_numbers(line, "us");
  BOOST_REQUIRE(taken.has_value());
  BOOST_REQUIRE(taken->size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    BOOST_TEST((*taken)[i] == std::strtod(texts[i].c_str(), nullptr), texts[i]);
  }
}

BOOST_AUTO_TEST_CASE(what_the_parser_must_not_see_is_refused) {
  std::string deep(65, '[');
  BOOST_CHECK_THROW(take_numbers(deep, "us"), ForeignLine);
  std::string long_number = "{\"us\":[" + std::string(400, '1') + "]}";
  BOOST_CHECK_THROW(take_numbers(long_number, "us"), ForeignLine);
  std::string large_number = "{\"us\":[1e999]}";
  BOOST_CHECK_THROW(take_numbers(large_number, "us"), ForeignLine);
}

BOOST_AUTO_TEST_SUITE_END()
