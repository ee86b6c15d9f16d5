// Faults of records, planted one by one in a set of good ones.
#include "audit/audit.hpp"

#include <boost/test/unit_test.hpp>

#include "records.hpp"
#include "support.hpp"

using namespace parlab;

namespace {

Run a_run() {
  Run run;
  run.id = "run-1";
  run.machine = "here";
  run.command =
      "bin/parlab dmv 1K --backend serial,openmp,blas --results "
      "results/h.jsonl";
  return run;
}

// A square with this side; `seconds` per element.
Record a_record(const std::string& name, std::int64_t side,
                double seconds_each = 1e-9) {
  const auto& variant = testing::variant_called(name);
  auto record = testing::record_of(name, {side, side});
  record.source = variant.source;
  record.source_hash = variant.source_hash;
  record.bytes = 4.0 * static_cast<double>(side * side);
  record.flops = 2.0 * static_cast<double>(side * side);
  record.run = a_run().id;
  record.machine = "here";
  const double seconds = seconds_each * static_cast<double>(side * side);
  for (int i = 0; i < 48; ++i)
    record.seconds.push_back(seconds * (1 + 1e-3 * (i % 5)));
  record.batches.assign(8, 6);
  return record;
}

std::vector<Record> good() {
  return {a_record("dmv/serial/plain", 1000),
          a_record("dmv/serial/plain", 1500),
          a_record("dmv/serial/plain", 2000),
          a_record("dmv/openmp/rows", 1000, 5e-10),
          a_record("dmv/openmp/rows", 1500, 5e-10),
          a_record("dmv/openmp/rows", 2000, 5e-10),
          a_record("dmv/blas/openblas", 1000, 4e-10)};
}

// The causes that the audit finds in the records, as "3 out_of_line".
std::vector<std::string> causes(const std::vector<Record>& records,
                                const Run& run = a_run()) {
  std::vector<std::string> all;
  for (const auto& objection : audit(records, {{run.id, run}}).objections) {
    all.push_back(std::to_string(objection.record) + " " +
                  names_of_causes[static_cast<int>(objection.why.cause)]);
  }
  return all;
}

using Causes = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(audits)

BOOST_AUTO_TEST_CASE(nothing_speaks_against_good_records) {
  BOOST_TEST(causes(good()) == Causes{}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_fault_is_found_and_no_other_record_is_blamed) {
  const auto found = [](const auto& spoil) {
    auto records = good();
    Run run = a_run();
    spoil(records, run);
    return causes(records, run);
  };
  const auto is = [&](const auto& spoil, const Causes& expected) {
    BOOST_TEST(found(spoil) == expected, boost::test_tools::per_element());
  };
  is(
      [](auto& r, Run&) {
        r[4].variant = "gone";
        r[4].source = "openmp/dmv/gone.cpp";
      },
      {"4 source_gone"});
  is([](auto& r, Run&) { r[4].source_hash = "0"; }, {"4 source_changed"});
  is([](auto&,
        Run& run) { run.command = "parlab dmv 1K --backend openmp,blas"; },
     {"0 not_asked_for", "1 not_asked_for", "2 not_asked_for"});
  is([](auto& r, Run&) { r[0].roof_s = 1e-2; }, {"0 below_roof"});
  is([](auto& r, Run&) { r[6] = a_record("dmv/blas/openblas", 1000, 2e-9); },
     {"6 library_behind_serial"});
  is([](auto& r, Run&) { r[4] = a_record("dmv/openmp/rows", 1500, 2e-9); },
     {"4 out_of_line"});
  is(
      [](auto& r, Run&) {  // the last size has one neighbour in shape
        r[5] = a_record("dmv/openmp/rows", 2000, 2e-9);
        r.push_back(a_record("dmv/openmp/rows", 2003, 5e-10));
      },
      {"5 out_of_line"});
  is(
      [](auto& r, Run&) {
        for (std::size_t i = 0; i < 24; ++i)
          r[3].seconds[i] *= 1 + 0.2 * static_cast<double>(i);
      },
      {"3 too_wide"});
}

// Roofs that were measured beside the samples are those of their moments.
BOOST_AUTO_TEST_CASE(ceilings_of_one_host_are_compared) {
  const auto with = [](std::size_t i, double roof_s, std::size_t j,
                       double other_s, const std::string& unit = "",
                       double error = 1) {
    auto records = good();
    Run run = a_run();
    run.host = {.read = {{1e9, 1e12}}, .units = {{"fma float", 1e10}}};
    for (auto& record : records)
      record.unit = "fma double";
    for (const auto& [at, seconds] : {std::pair(i, roof_s), {j, other_s}}) {
      records[at].roof_s = seconds;
      records[at].slowest_roof_s = error * seconds;
      if (!unit.empty()) records[at].unit = unit;
    }
    return causes(records, run);
  };
  const Causes none, first{"0 ceilings_differ"}, other{"2 ceilings_differ"};
  const auto is = [](const Causes& found, const Causes& expected) {
    BOOST_TEST(found == expected, boost::test_tools::per_element());
  };
  // Records 0 and 3 are of one point.
  is(with(0, 2e-4, 3, 1e-4), first);
  is(with(0, 1.08e-4, 3, 1e-4), none);
  // Its own interval counts.
  is(with(0, 1.15e-4, 3, 1e-4), first);
  is(with(0, 1.15e-4, 3, 1e-4, "", 1.06), none);
  // Memory is not compared between sizes.
  is(with(0, 2e-4, 2, 1e-4), none);
  // A unit is: record 2 has four times the operations of record 0.
  is(with(0, 2e-4, 2, 4e-4, "fma float"), first);
  is(with(0, 1e-4, 2, 8e-4, "fma float"), other);
  is(with(0, 1e-4, 2, 4.2e-4, "fma float"), none);
}

BOOST_AUTO_TEST_CASE(what_two_runs_have_seen_is_no_accident) {
  auto records = good();
  records[4] = a_record("dmv/openmp/rows", 1500, 2e-9);
  records.insert(records.begin(), records[4]);
  records.front().run = "run-0";
  BOOST_TEST(causes(records) == Causes{}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(another_shape_is_no_neighbour) {
  auto records = good();
  auto wide = a_record("dmv/openmp/rows", 1000, 5e-9);
  wide.size = {100, 10000};
  records.push_back(wide);
  BOOST_TEST(causes(records) == Causes{}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(
    an_option_may_be_a_variable_or_have_its_value_behind_a_sign) {
  for (const char* command :
       {"BACKEND=cuda bin/dmv 1K", "parlab dmv 1K --backend=cuda"}) {
    Run run = a_run();
    run.command = command;
    BOOST_TEST(causes(good(), run).size() == good().size());
  }
  Run run = a_run();
  run.command =
      "parlab dmv 1K --backend openmp,blas --variant rows,serial/plain";
  BOOST_TEST(causes(good(), run) == Causes{}, boost::test_tools::per_element());
  BOOST_TEST(command_for(good().front(), "my records/r.jsonl")
                 .ends_with("--results 'my records/r.jsonl'"));
}

BOOST_AUTO_TEST_CASE(neighbours_of_a_workload_with_parameters_have_the_same) {
  std::vector<Record> records;
  for (const std::int64_t side : {1000, 1500, 2000}) {
    auto record =
        a_record("convsep/openmp/strips", side, side == 1500 ? 2e-9 : 5e-10);
    record.workload = "convsep";
    record.size.push_back(16);
    records.push_back(record);
  }
  BOOST_TEST(causes(records) == Causes{"1 out_of_line"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(costs_may_rise_and_fall_with_the_size) {
  std::vector<Record> records;
  double cost = 64e-9;
  for (const std::int64_t side : {100, 150, 220, 330, 500, 750, 1100}) {
    records.push_back(a_record("dmv/openmp/rows", side, cost));
    cost /= 2.5;  // the least cost of an execution is shared
  }
  BOOST_TEST(causes(records) == Causes{}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(on_a_busy_host_no_time_of_the_cpu_counts) {
  Run run = a_run();
  run.others_at_work = 3;
  BOOST_TEST(causes(good(), run).size() == good().size());
}

BOOST_AUTO_TEST_CASE(a_command_measures_one_record_again) {
  auto record = a_record("dmv/openmp/rows", 1000);
  record.tunables = {{"threads", 16}};
  BOOST_TEST(command_for(record, "results/h.jsonl") ==
             "bin/parlab dmv 1000x1000 --variant openmp/rows --dtype float "
             "--cache hot --threads 16 --force --results results/h.jsonl");
}

BOOST_AUTO_TEST_CASE(a_command_gives_parameters_as_options) {
  auto record = a_record("covariance/openmp/panels", 100);
  record.workload = "covariance";
  record.dimensions = {"m", "n", "float_n"};
  record.size.push_back(0);
  BOOST_TEST(command_for(record, "r.jsonl")
                 .starts_with("bin/parlab covariance 100x100 "
                              "--variant openmp/panels --dtype float "
                              "--cache hot --float_n 0 "));
}

BOOST_AUTO_TEST_SUITE_END()
