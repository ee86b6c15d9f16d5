// Commands as a shell reads them, and names as people write them.
#include "core/text.hpp"

#include <boost/test/unit_test.hpp>

#include "core/name.hpp"

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

BOOST_AUTO_TEST_CASE(what_nobody_sees_is_made_visible) {
  const std::pair<const char*, const char*> texts[] = {
      {"Ann Lee; \"O'Neil\"", "Ann Lee; \"O'Neil\""},
      {"J\u00f6rg \u6797 \U0001f600", "J\u00f6rg \u6797 \U0001f600"},
      {"\033[31m\a\n\177", "\\x1b[31m\\x07\\x0a\\x7f"},
      {"a\u202ecba\u2069", "a\\u202ecba\\u2069"},
      {"\u200b\ufeff\u0085", "\\u200b\\ufeff\\u0085"},
      {"\xff \xc0\xaf \xed\xa0\x80 \xe2\x82",
       "\\xff \\xc0\\xaf \\xed\\xa0\\x80 \\xe2\\x82"}};
  for (const auto& [text, shown] : texts) {
    BOOST_TEST(parlab::printable(text) == shown);
    BOOST_TEST(parlab::printable(shown) == shown);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
