// JSON: reading is strict, and each number is written back as it was.
#include "core/json.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <string>

namespace parlab {
namespace {

using namespace std::string_literals;

BOOST_AUTO_TEST_SUITE(json)

BOOST_AUTO_TEST_CASE(text_that_is_no_json_is_refused) {
  for (const auto& text :
       {""s, "{"s, "[1,]"s, "[1] 2"s, "[NaN]"s, "[Infinity]"s, "[01]"s, "[1.]"s,
        "[1e999]"s, "['a']"s, "{a:1}"s, "[1]\0[2]"s, "[1]\0"s, "[\"\xff\"]"s,
        "[\"\xed\xa0\x80\"]"s, "[\"\n\"]"s, "[1] // one"s}) {
    BOOST_CHECK_THROW(parse_json(text), NotJson);
  }
  for (const auto* number : {"-", "+1", ".5", "1e", "1.8e308", "1e-400"})
    BOOST_CHECK_THROW(parse_json(number), NotJson);
  for (const auto* half : {R"(["\ud800"])", R"(["\ud800\u0041"])",
                           R"(["\udc00"])", R"({"\udc00":1})"}) {
    BOOST_CHECK_THROW(parse_json(half), NotJson);
  }
  BOOST_TEST(parse_json(" [\"\\u00e9\\ud83d\\ude00\"]\r\n")[0].GetString() ==
             "\xc3\xa9\xf0\x9f\x98\x80"s);
}

BOOST_AUTO_TEST_CASE(kinds_are_not_mistaken_for_each_other) {
  const auto list = parse_json(
      "[1.5, 1e3, 9223372036854775808, -9223372036854775808, \"1\", true, 1]");
  for (const unsigned no_integer : {0, 1, 2, 4, 5})
    BOOST_CHECK_THROW(list[no_integer].Get<std::int64_t>(), WrongKind);
  BOOST_TEST(list[2].Get<double>() == 0x1p63);
  BOOST_TEST(list[3].Get<std::int64_t>() == INT64_MIN);
  BOOST_CHECK_THROW(list[3].Get<int>(), WrongKind);
  for (const unsigned no_number : {4, 5})
    BOOST_CHECK_THROW(list[no_number].Get<double>(), WrongKind);
  BOOST_TEST(list[6].Get<double>() == 1);
  BOOST_CHECK_THROW(list[6].Get<bool>(), WrongKind);
  BOOST_CHECK_THROW(list[6].Get<std::string>(), WrongKind);
  BOOST_CHECK_THROW(list.GetObject(), WrongKind);
  BOOST_CHECK_THROW(list["a"], WrongKind);
}

BOOST_AUTO_TEST_CASE(numbers_have_as_few_digits_as_tell_them_apart) {
  JsonWriter out;
  out.begin_list().value(1).value(-2.5e-300).value(1.0 / 3).value(1.0 / 3, 4);
  out.value(256.0).value(1e-5).value(INT64_MIN).value(true).end_list();
  BOOST_TEST(out.text() ==
             "[1,-2.5e-300,0.3333333333333333,0.3333,256,1e-05,"
             "-9223372036854775808,true]");
  BOOST_TEST(parse_json(out.text())[2].GetDouble() == 1.0 / 3);
  BOOST_TEST(std::signbit(parse_json("[-0]")[0].GetDouble()));
}

BOOST_AUTO_TEST_CASE(text_is_written_as_json_and_utf_8) {
  JsonWriter out;
  out.begin_object().key("a\"\n\x01").value("\xff\xc3\xa9\xed\xa0\x80\xe2\x82");
  out.end_object();
  const auto line = parse_json(out.text());
  BOOST_TEST(line["a\"\n\x01"].GetString() ==
             "\ufffd\u00e9\ufffd\ufffd\ufffd\ufffd\ufffd"s);
}

BOOST_AUTO_TEST_CASE(a_number_that_is_not_finite_is_refused_by_its_name) {
  JsonWriter out;
  out.begin_object().key("seconds");
  BOOST_CHECK_EXCEPTION(
      out.value(HUGE_VAL), std::invalid_argument, [](const auto& error) {
        return std::string(error.what()).find("seconds = inf") !=
               std::string::npos;
      });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace parlab
