// Every value of an enum has a name, and a name leads to its value.
#include "core/enum_names.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "claims/claim.hpp"
#include "compare/compare.hpp"
#include "core/variant.hpp"
#include "core/workload.hpp"
#include "facts/cause.hpp"

namespace parlab {
namespace {

// One more value is one more line, here as anywhere.
PARLAB_ENUM(Colour, "colour", (red, "red"), (green, "dark green"),
            (blue, "blue"))

template <typename... Enums>
void check_tables() {
  const auto check = []<typename E>(E) {
    std::set<std::string_view> names;
    for (const E value : every_value<E>()) {
      BOOST_CHECK(value_named<E>(to_string(value)) == value);
      names.insert(to_string(value));
    }
    BOOST_TEST(names.size() == every_value<E>().size());
  };
  (check(Enums{}), ...);
}

bool names_all(const UsageError& error) {
  return error.what() == std::string(
                             "colour 'grey' is unknown: use red, dark "
                             "green or blue");
}

BOOST_AUTO_TEST_SUITE(enum_names)

BOOST_AUTO_TEST_CASE(a_value_is_one_line_of_its_table) {
  BOOST_TEST(every_value<Colour>().size() == 3u);
  BOOST_TEST(to_string(Colour::green) == "dark green");
  BOOST_CHECK(from_string<Colour>("blue") == Colour::blue);
  BOOST_CHECK(!value_named<Colour>("gree"));
  BOOST_CHECK_EXCEPTION(from_string<Colour>("grey"), UsageError, names_all);
  BOOST_CHECK_THROW(to_string(static_cast<Colour>(3)), std::logic_error);
}

BOOST_AUTO_TEST_CASE(names_lead_to_their_values) {
  check_tables<Dtype, Arithmetic, Verdict, Cache, InputKind, Role, Target, Unit,
               Cause, Change, Outcome>();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace parlab
