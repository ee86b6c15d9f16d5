// JSON as other programs have it: what nlohmann's library takes is taken here.
#include "core/json.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>

namespace parlab {
namespace {

using Json = nlohmann::ordered_json;

// The whole value, as the other library has it.
Json read(JsonReader& in) {
  switch (in.kind()) {
    case '{': {
      Json object = Json::object();
      in.begin_object();
      for (std::string key; in.next_member(key);)
        object[key] = read(in);
      return object;
    }
    case '[': {
      Json list = Json::array();
      for (in.begin_list(); in.next_element();)
        list.push_back(read(in));
      return list;
    }
    case '"':
      return in.text();
    case '0':
      return in.number();
    case 'n':
      in.skip();
      return nullptr;
    default:
      return in.boolean();
  }
}

Json read(const std::string& text) {
  JsonReader in(text);
  auto value = read(in);
  in.expect_end();
  return value;
}

// Nothing: a number that no double can hold, where the two differ.
std::optional<bool> skips(const std::string& text) {
  try {
    JsonReader in(text);
    in.skip();
    in.expect_end();
    return true;
  } catch (const NotJson&) {
    return false;
  } catch (const WrongKind&) {
    return std::nullopt;
  }
}

const std::string all_there_is =
    "{\"a\": [1, -2.5e-3, 0.25, 1E+2, 0, -0.0], \"\\u00e9\\ud83d\\ude00\" : "
    "{\"\":{}},\t\"t\\\"\\\\\\/"
    "\\b\\f\\n\\r\\t\":[true,false,null,[]],\"\xc3\xa9\":"
    "\"\xe2\x82\xac\xf0\x9f\x98\x80\"}\r\n";

BOOST_AUTO_TEST_SUITE(json)

BOOST_AUTO_TEST_CASE(values_are_those_of_another_library) {
  BOOST_TEST(read(all_there_is) == Json::parse(all_there_is));
}

BOOST_AUTO_TEST_CASE(damaged_text_is_taken_where_the_other_library_takes_it) {
  std::mt19937 random(7);
  const std::string signs =
      "{}[],:\"\\0123456789.eE+-tfnu \x80\xc3\xed\xf4\x01";
  int accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    auto text = all_there_is;
    for (int i = random() % 3; i >= 0; --i) {
      const auto at = random() % text.size();
      const char sign = signs[random() % signs.size()];
      if (random() % 2 == 0) {
        text[at] = sign;
      } else {
        text.insert(at, 1, sign);
      }
    }
    const bool right = Json::accept(text);
    accepted += right;
    BOOST_TEST_REQUIRE(skips(text).value_or(right) == right, text);
  }
  BOOST_TEST(accepted > 1000);
}

BOOST_AUTO_TEST_CASE(kinds_are_not_mistaken_for_each_other) {
  const auto reader = [](const char* text) { return JsonReader(text); };
  BOOST_CHECK_THROW(reader("1.5").integer(), WrongKind);
  BOOST_CHECK_THROW(reader("1e3").integer(), WrongKind);
  BOOST_CHECK_THROW(reader("9223372036854775808").integer(), WrongKind);
  BOOST_TEST(reader("-9223372036854775808").integer() == INT64_MIN);
  BOOST_CHECK_THROW(reader("\"1\"").number(), WrongKind);
  BOOST_CHECK_THROW(reader("true").number(), WrongKind);
  BOOST_CHECK_THROW(reader("1").boolean(), WrongKind);
  BOOST_CHECK_THROW(reader("1").text(), WrongKind);
  BOOST_CHECK_THROW(reader("[]").begin_object(), WrongKind);
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_by_another_library) {
  JsonWriter out;
  out.begin_object().key("a\"\n\x01").begin_list();
  out.value(1).value(-2.5e-300).value(1.0 / 3).value(1.0 / 3, 4).value(true);
  out.end_list().key("b").value("\xff\xc3\xa9\xed\xa0\x80").end_object();
  BOOST_TEST(Json::parse(out.text()) ==
             (Json{{"a\"\n\x01", {1, -2.5e-300, 1.0 / 3, 0.3333, true}},
                   {"b",
                    "\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd"
                    "\xef\xbf\xbd"}}));
  BOOST_CHECK_THROW(out.value(HUGE_VAL), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace parlab
