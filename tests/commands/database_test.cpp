// The database of the figures: its ratios equal those of statistics/.

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "commands/documents.hpp"
#include "commands/record_files.hpp"
#include "folder.hpp"
#include "record/speedup.hpp"
#include "record/store.hpp"
#include "records.hpp"
#include "render/words.hpp"
#include "said.hpp"
#include "text.hpp"

using namespace parlab;
using testing::contains;
using testing::Folder;

namespace {

// Every variant with the serial baseline, the ratio of their times and its
// interval.
constexpr const char* pairs_view = R"(
  CREATE VIEW pairs AS SELECT a.variant AS name,
    ratio(b.median_s, b.log_variance, b.freedom,
          a.median_s, a.log_variance, a.freedom) AS value,
    ratio_low(b.median_s, b.log_variance, b.freedom,
              a.median_s, a.log_variance, a.freedom) AS low,
    ratio_high(b.median_s, b.log_variance, b.freedom,
               a.median_s, a.log_variance, a.freedom) AS high
  FROM records a JOIN records b ON b.variant = 'plain';)";

Record timed(const std::string& backend, const std::string& variant,
             double median, int samples) {
  auto record = testing::record_of("dmv/" + backend + "/" + variant, {64, 64});
  record.source = "Makefile";  // a file that exists
  record.source_hash = "abc";
  for (int i = 0; i < samples; ++i) {
    record.seconds.push_back(median * (1 + 0.0005 * (i * 7 % 11 - 5)));
  }
  return record;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(database)

BOOST_AUTO_TEST_CASE(a_machine_without_records_is_told_from_those_that_have) {
  BOOST_CHECK_EXCEPTION(
      record_path("nvidia-h2000"), UsageError, [](const UsageError& error) {
        const std::string said = error.what();
        return contains(said, "there are ") && contains(said, "nvidia-h100") &&
               contains(said, "did you mean 'nvidia-h200'?");
      });
  BOOST_TEST(record_path("gone/x.jsonl") == "gone/x.jsonl");
}

BOOST_AUTO_TEST_CASE(ratios_are_those_of_statistics) {
  const Folder folder;
  const auto records = (folder.path / "x.jsonl").string(),
             out = (folder.path / "x.db").string(),
             views = (folder.path / "views.sql").string();
  Run run;
  run.id = "run";
  run.machine = "here";
  const Record plain = timed("serial", "plain", 1e-3, 44),
               fast = timed("openmp", "quick", 5e-4, 44),
               few = timed("openmp", "few", 5e-4, 3);
  Record slow_library = timed("blas", "openblas", 2e-3, 44);
  slow_library.tunables = {{"threads", 1}};
  {
    Store store(records, run);
    for (const auto& record : {plain, fast, few, slow_library})
      store.append(record);
  }
  std::ofstream(views) << pairs_view;
  try {
    testing::said_by({"database", records, out, "--views", views});
  } catch (const std::runtime_error& error) {
    // the only reason not to have one
    BOOST_TEST(contains(error.what(), "without SQLite"));
    return;
  }
  const auto asked = [&](const std::string& column,
                         const std::string& variant) {
    const auto sql = "SELECT " + column + " FROM pairs WHERE name = ?1";
    return testing::said_by({"query", out, sql, variant}).out;
  };
  const auto number = [&](const std::string& column,
                          const std::string& variant) {
    return std::stod(asked(column, variant));
  };
  const auto tolerance = boost::test_tools::tolerance(1e-6);
  const auto expected = speedup(fast, plain);
  BOOST_REQUIRE(expected.has_value());
  BOOST_TEST(number("value", "quick") == expected->value, tolerance);
  BOOST_TEST(number("low", "quick") == expected->interval.low, tolerance);
  BOOST_TEST(number("high", "quick") == expected->interval.high, tolerance);
  // Too few samples give a ratio without an interval.
  const double ratio_of_few = plain.summary().median / few.summary().median;
  BOOST_TEST(number("value", "few") == ratio_of_few, tolerance);
  BOOST_TEST(asked("low", "few") == "\n");
  BOOST_TEST(asked("high", "few") == "\n");
  // The audit rejects a library that is slower than a serial variant.
  BOOST_TEST(asked("name", "few") == "few\n");
  BOOST_TEST(asked("name", "openblas").empty());
  // The tables of an experiment have values with units and intervals.
  const auto questions = (folder.path / "tables.sql").string();
  std::ofstream(questions)
      << "-- a comment\n\n-- note: about it,\n-- in two lines\n"
         "-- table: Both\n-- of them\n"
         "SELECT name, 0.25 AS 'share [1]', value AS 'faster [x]', low, high,\n"
         "  7 AS n, NULL AS none FROM pairs WHERE name <> 'plain';\n"
         "-- table: None\nSELECT name FROM pairs WHERE name = 'x';\n";
  const auto blocks = experiment_tables(out, questions).blocks;
  BOOST_TEST_REQUIRE(blocks.size() == 4u);
  BOOST_TEST(words(std::get<Paragraph>(blocks[0]).text) ==
             "about it, in two lines");
  BOOST_TEST(
      contains(words(std::get<Paragraph>(blocks[2]).text), "no records"));
  BOOST_TEST(words(std::get<Paragraph>(blocks[3]).text) ==
             "1 time: 'parlab audit " + records +
                 "' says why each was left out");
  const auto& table = std::get<Table>(blocks[1]);
  BOOST_TEST(words(table.title) == "Both of them");
  std::string titles, cells;
  for (const auto& column : table.columns)
    titles += column.title + ";";
  for (const auto& cell : table.rows.at(0).cells)
    cells += words(cell.text) + ";";
  BOOST_TEST(titles == "name;share;faster;95 %;n;none;");
  const Quantity faster{expected->value, Unit::factor, expected->interval};
  BOOST_TEST(cells == "quick;25%;" + words(faster) + ";" +
                          interval_words(faster) + ";7;;");
  BOOST_TEST(table.rows.at(1).cells.at(3).text.empty());
}

BOOST_AUTO_TEST_SUITE_END()
