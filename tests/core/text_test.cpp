// Commands as a shell reads them.
#include "core/text.hpp"

#include <boost/test/unit_test.hpp>

namespace {

using parlab::join;
using parlab::shell_words;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(a_command_is_split_as_a_shell_splits_it) {
  const std::pair<const char*, const char*> commands[] = {
      {" g++  -O2\n -c ", "g++|-O2|-c"},
      {"-I'/opt/my boost/include' -L\"/opt/my boost\"/lib",
       "-I/opt/my boost/include|-L/opt/my boost/lib"},
      {R"(-I/opt/my\ boost -DNAME=\"x\")", R"(-I/opt/my boost|-DNAME="x")"},
      {R"("it's" 'a \"b\"' "" c)", R"(it's|a \"b\"||c)"},
      {"", ""}};
  for (const auto& [command, words] : commands)
    BOOST_TEST(join(shell_words(command), "|") == words);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
