// The gain by threads, computed from records with known times.
#include "record/speedup.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "page/measured.hpp"
#include "page/sections.hpp"
#include "records.hpp"
#include "render/html.hpp"
#include "report/reporter.hpp"
#include "text.hpp"

using namespace parlab;
using parlab::testing::contains;

namespace {

// Four cores that compute 1 Gflop/s each when all are at work.
Run a_run() {
  Run run;
  run.id = "run";
  run.machine = "here";
  run.cores = 4;
  run.host = {.read = {{1e9, 1e10}}, .units = {{"fma float", 4e9}}};
  return run;
}

// 1e9 operations on 1e6 bytes, so that the unit sets the roof.
Record with_threads(std::int64_t threads, double seconds,
                    const std::string& variant = "rows") {
  auto record = testing::record_of("matmul/openmp/" + variant, {1000});
  record.tunables = {{"threads", threads}};
  record.unit = "fma float";
  record.flops = 1e9;
  record.bytes = 1e6;
  record.roof_s = 0.25;
  record.machine = "here";
  for (int i = 0; i < 24; ++i)
    record.seconds.push_back(seconds * (1 + 1e-4 * (i % 5)));
  record.between_runs.share = 1e-4;
  return record;
}

Cause limit_of(const Record& record, const Record& one) {
  const auto gain = gain_by_threads(record, {one}, a_run());
  BOOST_REQUIRE(gain.has_value());
  return gain->limit.cause;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(thread_gains)

BOOST_AUTO_TEST_CASE(efficiency_is_the_time_of_one_over_that_of_all) {
  const auto one = with_threads(1, 1), all = with_threads(4, 0.5);
  const auto gain = gain_by_threads(all, {all, one}, a_run());
  BOOST_REQUIRE(gain.has_value());
  BOOST_TEST(gain->threads == 4);
  const auto& [value, interval] = gain->efficiency;
  BOOST_TEST(value == 0.5, boost::test_tools::tolerance(1e-6));
  BOOST_TEST((interval.low < value && value < interval.high));
  BOOST_TEST(interval.high < 0.51);
}

BOOST_AUTO_TEST_CASE(only_a_record_that_differs_in_threads_is_compared) {
  const auto all = with_threads(4, 0.5);
  const auto found = [&](const Record& one) {
    return gain_by_threads(all, {one}, a_run()).has_value();
  };
  BOOST_TEST(found(with_threads(1, 1)));
  BOOST_TEST(!found(with_threads(2, 1)));
  BOOST_TEST(!found(with_threads(1, 1, "others")));
  auto one = with_threads(1, 1);
  one.size = {999};
  BOOST_TEST(!found(one));
  one = with_threads(1, 1);
  one.tunables.emplace("tile", 8);
  BOOST_TEST(!found(one));
  one = with_threads(1, 1);
  one.source_hash = "older";
  BOOST_TEST(!found(one));
  one = with_threads(1, 1);
  one.verdict = Verdict::wrong_result;
  BOOST_TEST(!found(one));
  BOOST_TEST(!gain_by_threads(with_threads(1, 1), {one}, a_run()));
}

BOOST_AUTO_TEST_CASE(the_ceilings_say_what_limits_threads) {
  const auto one = with_threads(1, 1);
  BOOST_TEST((limit_of(with_threads(4, 0.251), one) == Cause::none));
  // Alone it computes at 1.5 Gflop/s.
  BOOST_TEST((limit_of(with_threads(4, 0.26), with_threads(1, 0.66)) ==
              Cause::threads_share_clock));
  BOOST_TEST((limit_of(with_threads(4, 0.27), one) == Cause::threads_at_peak));
  BOOST_TEST((limit_of(with_threads(4, 0.6), one) == Cause::threads_wait));
  auto memory = with_threads(4, 0.6), alone = one;
  memory.bytes = alone.bytes = 5e9;
  memory.roof_s = 0.5;
  BOOST_TEST((limit_of(memory, alone) == Cause::threads_at_memory));
  auto few = with_threads(4, 0.6), few_alone = one;
  few.size = few_alone.size = {3};
  BOOST_TEST((limit_of(few, few_alone) == Cause::threads_exceed_rows));
  auto unsteady = with_threads(4, 0.6);
  unsteady.roof_s = 0;
  BOOST_TEST((limit_of(unsteady, one) == Cause::none));
}

BOOST_AUTO_TEST_CASE(table_csv_and_page_show_efficiency_and_its_limit) {
  const std::vector<Record> records{with_threads(1, 1), with_threads(2, 0.52),
                                    with_threads(4, 0.5)};
  const auto in = [&](const std::string& format) {
    std::ostringstream out;
    const auto reporter = make_reporter(format, out);
    reporter->run(a_run());
    reporter->point(records);
    reporter->finish();
    return out.str();
  };
  const auto table = in("table"), csv = in("csv");
  for (const auto* said : {"efficiency", "50%", "96%", "threads wait"})
    BOOST_TEST(contains(table, said), table);
  for (const auto* said : {"thread_efficiency", "thread_limit", "threads wait"})
    BOOST_TEST(contains(csv, said), csv);
  const auto section = page::threads(page::arrange({a_run()}, records));
  BOOST_REQUIRE(section.has_value());
  const auto page = html(Document{.title = "", .blocks = {*section}});
  for (const auto* said :
       {"What limits it", "50", "96", "threads wait", "nothing"})
    BOOST_TEST(contains(page, said), page);
  BOOST_TEST(!page::threads(page::arrange({a_run()}, {records[0]})));
}

BOOST_AUTO_TEST_SUITE_END()
