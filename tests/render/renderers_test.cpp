// One table as text, CSV and JSON: each renderer shows the same quantities.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "core/text.hpp"
#include "render/formats.hpp"
#include "render/html.hpp"
#include "render/words.hpp"
#include "text.hpp"

using namespace parlab;
using testing::contains;

namespace {

Table table_of_two() {
  return {.key = "point",
          .columns = {{"variant", "variant"},
                      {"backend"},
                      {"time_s", "time", true},
                      {.key = "ratio",
                       .title = "ratio",
                       .right = true,
                       .interval = true},
                      {.title = "remark"}},
          .rows = {row_of({"naive", "cuda", Quantity{16.24e-6, Unit::second},
                           Quantity{1.5, Unit::factor, Interval{1.25, 2}},
                           "of the first"}),
                   row_of({"=SUM(\"a\",b)", "serial", Text(),
                           Quantity{2, Unit::factor}})}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(renderers)

BOOST_AUTO_TEST_CASE(a_table_is_aligned_on_a_terminal) {
  BOOST_TEST(terminal(table_of_two()) ==
             "variant          time  ratio  remark\n"
             "naive        16.24 us  1.50x  of the first\n"
             "=SUM(\"a\",b)            2.00x\n");
}

BOOST_AUTO_TEST_CASE(rates_of_a_column_have_one_prefix) {
  const auto rate = [](double value) {
    return Quantity{value, Unit::byte_per_second};
  };
  const Table table{
      .columns = {{.title = "rate", .right = true},
                  {.title = "time", .right = true}},
      .rows = {row_of({rate(4.62e12), Quantity{2, Unit::second}}),
               row_of({rate(153e9), Quantity{2e-3, Unit::second}}),
               row_of({rate(1.5e9), Text()})}};
  BOOST_TEST(terminal(table) ==
             "     rate      time\n"
             "4620 GB/s   2.000 s\n"
             " 153 GB/s  2.000 ms\n"
             "1.50 GB/s\n");
  BOOST_TEST(contains(markdown(table), "| 4620 GB/s |"));
  BOOST_TEST(contains(html({.title = "t", .blocks = {table}}), "4620 GB/s"));
}

BOOST_AUTO_TEST_CASE(markdown_shows_what_a_terminal_shows) {
  Table folded = table_of_two();
  folded.title = "all of them";
  folded.folded = true;
  const Document document{
      .title = "two <b>",
      .blocks = {Paragraph{"1. no list: a_b *c* @d | e"},
                 Paragraph{Text(Strong{"so"})}, List{{"one"}},
                 Paragraph{.text = "as ``` is\n", .verbatim = true},
                 table_of_two(),
                 Section{.title = "section", .blocks = {folded}}}};
  const std::string rows =
      "| variant | time | ratio | remark |\n"
      "| --- | --: | --: | --- |\n"
      "| naive | 16.24 µs | 1.50× | of the first |\n"
      "| =SUM(\"a\",b) |  | 2.00× |  |\n";
  BOOST_TEST(markdown(document) ==
             "### two &lt;b\\>\n\n"
             "1\\. no list: a_b \\*c\\* &#64;d \\| e\n\n"
             "**so**\n\n- one\n\n"
             "````\nas ``` is\n````\n\n" +
                 rows +
                 "\n#### section\n\n"
                 "<details><summary>all of them</summary>\n\n" +
                 rows + "\n</details>\n");
}

BOOST_AUTO_TEST_CASE(markdown_has_a_cell_for_each_column) {
  Table table{.columns = {{.title = "a"}, {.title = "b"}, {.title = "c"}},
              .rows = {{.cells = {"group"}, .heading = true},
                       row_of({"1", "fills the rest"}),
                       row_of({"1", "", "3"})},
              .numbers = true};
  table.rows[1].cells[0].note = "note";
  BOOST_TEST(markdown(table) ==
             "| a | b | c |\n| --- | --- | --- |\n| **group** |  |  |\n"
             "| 1 (note) | fills the rest |  |\n| 1 | - | 3 |\n");
}

BOOST_AUTO_TEST_CASE(csv_has_raw_numbers_under_keys) {
  BOOST_TEST(csv(table_of_two()) ==
             "variant,backend,time_s,ratio,ratio_low,ratio_high\n"
             "naive,cuda,1.624e-05,1.5,1.25,2\n"
             "\"'=SUM(\"\"a\"\",b)\",serial,,2,,\n");
}

BOOST_AUTO_TEST_CASE(json_has_an_object_for_each_row) {
  const Document document{
      .title = "for people",
      .blocks = {Section{.blocks = {table_of_two()}}, Paragraph{"too"}}};
  BOOST_TEST(json_lines(document) ==
             "{\"type\":\"point\",\"variant\":\"naive\",\"backend\":\"cuda\","
             "\"time_s\":1.624e-05,\"ratio\":1.5,\"ratio_low\":1.25,"
             "\"ratio_high\":2}\n"
             "{\"type\":\"point\",\"variant\":\"=SUM(\\\"a\\\",b)\","
             "\"backend\":\"serial\",\"ratio\":2}\n");
}

BOOST_AUTO_TEST_CASE(a_terminal_has_100_columns) {
  const std::string name(70, 'n');
  const Table wide{.columns = {{.title = "variant"},
                               {.title = "tunables"},
                               {.title = "time", .right = true}},
                   .rows = {row_of({name, name, "12345678"}),
                            row_of({"short",
                                    "what becomes of it takes all the "
                                    "room that is left of its line, "
                                    "and goes on in the next"})}};
  const auto lines = split(terminal(wide), '\n');
  for (const auto& line : lines)
    BOOST_TEST(line.size() <= 100u, line);
  BOOST_TEST(contains(terminal(wide), "12345678"));
  const Document text{.blocks = {Paragraph{std::string(150, 'x')}}};
  for (const auto& line : split(terminal(text), '\n'))
    BOOST_TEST(line.size() <= 100u, line);
}

BOOST_AUTO_TEST_CASE(small_print_belongs_to_what_it_follows) {
  const Document document{
      .title = "title",
      .blocks = {Paragraph{"one"}, Paragraph{.text = "two", .small = true},
                 Section{.title = "section", .blocks = {Paragraph{"three"}}}}};
  BOOST_TEST(terminal(Document{.blocks = {List{{"one", "two"}}}}) ==
             "- one\n- two\n");
  BOOST_TEST(terminal(document) == "title\n\none\ntwo\n\nsection\nthree\n");
}

BOOST_AUTO_TEST_CASE(numbers_that_differ_look_different) {
  const auto said = [](Cause cause, double one, double other, Unit unit) {
    return words(
        Detail{.cause = cause,
               .arguments = {"b[3]", quantity(one, unit), quantity(other, unit),
                             quantity(0.5, unit), quantity(0.25, unit)}});
  };
  BOOST_TEST(said(Cause::not_exact, 0.1234, 0.1235, Unit::none) ==
             "b[3] is 0.1234, expected exactly 0.1235");
  BOOST_TEST(said(Cause::not_exact, 0.12341, 0.12342, Unit::none) ==
             "b[3] is 0.12341, expected exactly 0.12342");
  BOOST_TEST(said(Cause::not_exact, 12345678, 12345679, Unit::none) ==
             "b[3] is 1.2345678e+07, expected exactly 1.2345679e+07");
  BOOST_TEST(
      said(Cause::wrong_element, 1, std::nextafter(1.0, 2), Unit::none) ==
      "b[3] is 1.0000000000000000, expected 1.0000000000000002: off by "
      "0.5000, at most 0.2500 is allowed");
  BOOST_TEST(
      said(Cause::beats_roof, 1.00001e-3, 1.00002e-3, Unit::second) ==
      "b[3] is 1.00001 ms times as fast as the roof allows (1.00002 ms): "
      "it cannot have done the work, or the roof was measured badly");
}

BOOST_AUTO_TEST_CASE(a_reason_follows_its_colon) {
  Detail why = because(Cause::does_not_compile, "");
  why.further = {because(Cause::uncaught), because(Cause::process_ended)};
  BOOST_TEST(words(why) ==
             "does not compile: threw something that is no std::exception; "
             "its process has ended");
}

BOOST_AUTO_TEST_CASE(elements_are_written_as_their_type_has_them) {
  const auto said = [](Cause cause, const std::vector<double>& numbers) {
    Detail detail{.cause = cause, .arguments = {"b[3]"}};
    for (const double number : numbers)
      detail.arguments.push_back(quantity(number, Unit::none));
    return words(detail);
  };
  BOOST_TEST(said(Cause::not_exact, {4, 8}) == "b[3] is 4, expected exactly 8");
  BOOST_TEST(said(Cause::not_exact, {-2038104321, 1130000000}) ==
             "b[3] is -2038104321, expected exactly 1130000000");
  BOOST_TEST(said(Cause::left_out, {0}) == "b[3] was not written, expected 0");
  BOOST_TEST(said(Cause::wrong_element, {1157, 1238, 81, 1.195e-11}) ==
             "b[3] is 1157, expected 1238: off by 81.00, at most 1.195e-11 is "
             "allowed");
  BOOST_TEST(said(Cause::wrong_element, {1e29, 1.2056e29, 2.056e28, 4.82e14}) ==
             "b[3] is 1.000e+29, expected 1.206e+29: off by 2.056e+28, at most "
             "4.820e+14 is allowed");
}

BOOST_AUTO_TEST_SUITE_END()
