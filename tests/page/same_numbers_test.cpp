// One number in every output: terminal, CSV, JSON and page show the same values
// for the same records, each in its own form.
#include <boost/test/unit_test.hpp>
#include <map>
#include <sstream>

#include "core/text.hpp"
#include "fake_workload.hpp"
#include "page/sections.hpp"
#include "record/json.hpp"
#include "record/table.hpp"
#include "records.hpp"
#include "render/formats.hpp"
#include "render/html.hpp"
#include "report/reporter.hpp"
#include "text.hpp"

using namespace parlab;
using testing::contains;

namespace {

Run a_run() {
  Run run;
  run.id = "run";
  run.machine = "somewhere";
  run.gpu = "a GPU";
  run.device.read = run.device.copy = {{1e9, 4e12}};
  run.device.units = {{"fma float", 6e13}};
  run.device.between_runs = run.host.between_runs = {.share = 1e-3};
  return run;
}

Record a_record(const std::string& backend, double seconds, const Run& run) {
  auto record = testing::record_of("fake/" + backend + "/plain", {64, 64});
  record.unit = "fma float";
  record.converged = true;
  record.flops = 1.5e9;
  record.bytes = 1e8;
  record.roof_s = 1.7e-5;
  for (int i = 0; i < 44; ++i)
    record.seconds.push_back(seconds * (1 + (i * 7 % 11 - 5) * 4e-3));
  set_run(record, run);
  return record;
}

// The cells of the last line, by column title.
std::map<std::string, std::string> last_cells(const std::string& csv) {
  const auto lines = split(csv, '\n');
  const auto titles = split(lines.at(0), ','),
             cells = split(lines.at(lines.size() - 2), ',');
  BOOST_TEST_REQUIRE(titles.size() == cells.size());
  std::map<std::string, std::string> found;
  for (std::size_t i = 0; i < titles.size(); ++i)
    found[titles[i]] = cells[i];
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(page)

BOOST_AUTO_TEST_CASE(every_output_says_the_same_numbers) {
  register_fake_workloads();
  const auto run = a_run();
  auto kernel = a_record("cuda", 23.456e-6, run);
  kernel.launch.launches = 1;
  kernel.to_device_s = 1e-5;
  kernel.energy = Energy{{7.1e-3, 7.15e-3, 7.05e-3, 7.12e-3}, 2.4e-5, 70, "x"};
  const std::vector<Record> records{a_record("serial", 345.6e-6, run), kernel};

  std::ostringstream csv, table;
  write_csv(csv, {{{run.id, run}}, {}, records, {}});
  const auto reporter = make_reporter("table", table);
  reporter->point(records);
  const auto page = html(parlab::page::machine_page(
      parlab::page::arrange({run}, records), "/nowhere"));
  auto stored = std::get<Record>(from_json_line(to_json_line(kernel)));
  set_run(stored, run);

  const auto cells = last_cells(csv.str());
  const auto number = [&](const std::string& column) {
    BOOST_TEST_REQUIRE(!cells.at(column).empty(), column);
    return std::stod(cells.at(column));
  };
  const Quantity time{number("median_s"), Unit::second,
                      Interval{number("low_s"), number("high_s")}},
      rate{1e9 * number("gflops"), Unit::flop_per_second},
      percentage{number("roof_percent") / 100, Unit::fraction},
      ratio{number("speedup"), Unit::factor,
            Interval{number("speedup_low"), number("speedup_high")}},
      energy{number("energy_j"), Unit::joule,
             Interval{number("energy_low_j"), number("energy_high_j")}};
  for (const auto& quantity : {time, rate, percentage, ratio, energy}) {
    BOOST_TEST(contains(table.str(), words(quantity)));
    BOOST_TEST(contains(page, words(quantity, Letters::unicode)));
    BOOST_TEST(contains(page, interval_words(quantity, Letters::unicode)));
  }

  const auto of_time = stored.summary(), of_energy = stored.energy->summary();
  BOOST_TEST(csv_number(of_time.median) == cells.at("median_s"));
  BOOST_TEST(csv_number(of_time.interval.low) == cells.at("low_s"));
  BOOST_TEST(csv_number(of_time.interval.high) == cells.at("high_s"));
  BOOST_TEST(csv_number(stored.flops / of_time.median / 1e9) ==
             cells.at("gflops"));
  BOOST_TEST(csv_number(100 * stored.roof_s / of_time.median) ==
             cells.at("roof_percent"));
  BOOST_TEST(csv_number(of_energy.median) == cells.at("energy_j"));
  BOOST_TEST(csv_number(of_energy.interval.low) == cells.at("energy_low_j"));
}

BOOST_AUTO_TEST_SUITE_END()
