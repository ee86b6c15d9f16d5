// Tuning: the values that are tried, the search, the stored results, and their
// use.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <sstream>

#include "cli/run_request.hpp"
#include "commands/tune.hpp"
#include "core/text.hpp"
#include "fake_workload.hpp"
#include "folder.hpp"
#include "machine/topology.hpp"
#include "record/store.hpp"
#include "records.hpp"
#include "said.hpp"
#include "text.hpp"
#include "tune/best.hpp"
#include "tune/search.hpp"

using namespace parlab;
using boost::test_tools::per_element;
using testing::contains;
using Numbers = std::vector<std::int64_t>;

namespace {

struct Fixture {
  Fixture() { register_fake_workloads(); }

  testing::Folder own;
  std::string file = (own.path / "tuned.trials").string();

  // dmv/openmp/rows at 40x40, with one thread and with two.
  TuneRequest tune_rows() const;
};

Variant variant_with(const ShortList<TunableSpec>& tunables) {
  return describe({.tunables = tunables}, "cuda/fake/tuned.cu", "hash");
}

Numbers values(const TunableSpec& tunable, std::int64_t cores = 6) {
  return axes_of(variant_with({tunable}), {}, cores).at(0).values;
}

// 48 samples within 0.1 % of the median.
Record trial(const TunableValues& tunables, double median,
             const Size& size = {64, 64}) {
  auto record = testing::record_of("fake/cuda/naive", size);
  record.tunables = tunables;
  record.source_hash = "hash";
  record.converged = true;
  record.machine = "here";
  record.between_runs.share = 1e-4;
  for (int i = 0; i < 48; ++i)
    record.seconds.push_back(median * (1 + 0.0005 * (i % 5 - 2)));
  return record;
}

RunRequest parse(std::vector<std::string> words,
                 const Environment& environment = {}) {
  words.insert(words.begin(), "bin/parlab");
  const auto arguments = read_arguments(words, environment);
  return words.at(1) == "tune" ? read_tuning(arguments) : read_run(arguments);
}

TuneRequest Fixture::tune_rows() const {
  auto request =
      parse({"tune", "dmv", "40", "--variant", "openmp/rows", "--threads",
             "1,2", "--time-limit", "0.02", "--tuned", file});
  // would take seconds to measure, and is not needed
  request.plan.host_ceilings = Ceilings{};
  return {request.plan, 60, file, "table"};
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tuning, Fixture)

BOOST_AUTO_TEST_CASE(values_that_are_tried) {
  BOOST_TEST(
      values({"tile", 16, 4, 64, 1, true}) == (Numbers{4, 8, 16, 32, 64}),
      per_element());
  BOOST_TEST(values({"depth", 2, 1, 4}) == (Numbers{1, 2, 3, 4}),
             per_element());
  BOOST_TEST(values(threads()) == (Numbers{1, 2, 4, 6}), per_element());
  BOOST_TEST(values(threads(), 1) == (Numbers{1}), per_element());
  const auto blocks = values(block_size());
  BOOST_TEST(blocks.size() == 32u);
  BOOST_TEST(blocks.front() == 32);
  BOOST_TEST(blocks.back() == 1024);
  const auto ladder = values({"stages", 7, 1, 100});
  BOOST_TEST(
      ladder == (Numbers{1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 100}),
      per_element());
  for (const auto value : values({"strip", 40, 20, 2000, 20}))
    BOOST_TEST(value % 20 == 0);
}

BOOST_AUTO_TEST_CASE(values_that_were_asked_for_are_tried_if_allowed) {
  const auto asked = axes_of(variant_with({block_size(256, 32)}),
                             {{"block", {100, 64, 32}}}, 4);
  BOOST_TEST(asked[0].values == (Numbers{32, 64}), per_element());
  BOOST_CHECK_THROW(
      axes_of(variant_with({block_size(256, 32)}), {{"block", {100}}}, 4),
      UsageError);
}

BOOST_AUTO_TEST_CASE(every_combination_is_counted_once) {
  const auto two =
      axes_of(variant_with({{"a", 1, 1, 3}, {"b", 1, 1, 4}}), {}, 4);
  BOOST_TEST(count_of(two) == 12);
  const auto all = all_of(two);
  BOOST_TEST(std::set<TunableValues>(all.begin(), all.end()).size() == 12u);
}

// A search over 32 x 40 configurations whose times form a valley with its
// lowest point at block 320 and depth 12; some configurations fail.
struct Valley {
  static constexpr std::size_t blocks = 32, depths = 40;

  Valley() {
    search.axes = {{"block", {}}, {"depth", {}}};
    for (std::size_t n = 1; n <= blocks; ++n)
      search.axes[0].values.push_back(32 * n);
    for (std::size_t n = 1; n <= depths; ++n)
      search.axes[1].values.push_back(n);
    search.start = {{"block", 1024}, {"depth", 1}};
    search.stop = [] { return false; };
    search.measure = [this](const auto& configurations, Effort effort) {
      return measure(configurations, effort);
    };
  }

  static double time(const TunableValues& t) {
    return 1 + std::abs(std::log(static_cast<double>(t["block"]) / 320)) +
           std::abs(std::log(static_cast<double>(t["depth"]) / 12));
  }
  std::vector<Record> measure(const std::vector<TunableValues>& configurations,
                              Effort effort) {
    (effort == Effort::quick ? quick : full) += configurations.size();
    if (effort == Effort::full) finalists = configurations;
    std::vector<Record> records;
    for (const auto& one : configurations) {
      records.push_back(trial(one, time(one)));
      if (one["block"] == 1024 && one["depth"] > 1) {
        records.back().verdict = Verdict::launch_failed;
        records.back().seconds.clear();
      }
    }
    return records;
  }

  Search search;
  std::size_t quick = 0, full = 0;  // how many configurations were measured in
                                    // this way
  std::vector<TunableValues> finalists;
};

BOOST_FIXTURE_TEST_CASE(the_search_finds_the_valley, Valley) {
  BOOST_TEST(run_search(search) == quick);
  BOOST_TEST(quick < blocks * depths / 2);
  BOOST_TEST(full <= 9u);
  BOOST_REQUIRE(!finalists.empty());
  BOOST_TEST(to_string(finalists.front()) == "block=320 depth=12");
  // the gain is over this one
  BOOST_TEST(to_string(finalists.back()) == to_string(search.start));
}

BOOST_FIXTURE_TEST_CASE(an_exhaustive_search_measures_all_in_full, Valley) {
  search.exhaustive = true;
  BOOST_TEST(run_search(search) == blocks * depths);
  BOOST_TEST(quick == 0u);
  BOOST_TEST(full == blocks * depths);
}

BOOST_FIXTURE_TEST_CASE(a_search_whose_budget_ends_at_once_still_has_finalists,
                        Valley) {
  search.stop = [&] { return quick > 0; };
  run_search(search);
  BOOST_TEST(quick == blocks);
  BOOST_TEST(full > 0u);
}

BOOST_AUTO_TEST_CASE(the_best_and_its_ties) {
  const Record slow = trial({{"block", 32}}, 2),
               best = trial({{"block", 64}}, 1);
  const Record tie = trial({{"block", 96}}, 1.0001), failed = [] {
    Record record = trial({{"block", 128}}, 1);
    record.verdict = Verdict::wrong_result;
    record.seconds.clear();
    return record;
  }();
  // fast in every other batch: a tie, not the best
  Record lucky = trial({{"block", 160}}, 1);
  for (std::size_t i = 0; i < lucky.seconds.size(); ++i) {
    lucky.seconds[i] = i / 12 % 2 == 0 ? 0.9 : 1.5;
  }
  const auto choice = choose_best({slow, tie, failed, lucky, best}, {});
  BOOST_REQUIRE(choice.has_value());
  BOOST_TEST(to_string(choice->best.tunables) == to_string(best.tunables));
  BOOST_REQUIRE(choice->ties.size() == 2u);
  BOOST_TEST(!choose_best({failed}, {}).has_value());
  // Among equals the defaults are the best; a slower default is not.
  const auto with_defaults = [&](const Record& defaults) {
    return to_string(
        choose_best({slow, tie, failed, lucky, best}, defaults.tunables)
            ->best.tunables);
  };
  BOOST_TEST(with_defaults(tie) == to_string(tie.tunables));
  BOOST_TEST(with_defaults(slow) == to_string(best.tunables));
}

BOOST_AUTO_TEST_CASE(a_wider_interval_does_not_make_a_slower_one_the_best) {
  Record wide = trial({{"threads", 2}}, 1), narrow = trial({{"threads", 1}}, 1);
  for (std::size_t i = 0; i < wide.seconds.size(); ++i) {
    wide.seconds[i] = i / 12 % 2 == 0 ? 0.9 : 1.2;
    narrow.seconds[i] = i / 12 % 2 == 0 ? 1.09 : 1.11;
  }
  BOOST_REQUIRE(wide.summary().median < narrow.summary().median);
  BOOST_REQUIRE(wide.summary().interval.high > narrow.summary().interval.high);
  const auto choice = choose_best({narrow, wide}, {});
  BOOST_TEST(to_string(choice->best.tunables) == "threads=2");
}

BOOST_AUTO_TEST_CASE(the_nearest_size_stands_in) {
  Record other = trial({{"block", 512}}, 1, {64, 64});
  other.machine = "elsewhere";
  Record old = trial({{"block", 640}}, 1, {128, 128});
  old.source_hash = "before";
  Record zeros = trial({{"block", 768}}, 0.5, {1024, 1024});
  zeros.inputs = InputKind::zeros;
  const Tuned tuned(
      {trial({{"block", 32}}, 1, {64, 64}),
       trial({{"block", 64}}, 1, {1024, 1024}),
       trial({{"block", 96}}, 2, {1024, 1024}), other, old, zeros},
      "here", {{"fake/cuda/naive", "hash"}});
  const auto at = [&](const Size& size) {
    const auto found = tuned.find("fake/cuda/naive", Dtype::f32, size);
    BOOST_REQUIRE(found.has_value());
    return std::pair(found->size, found->choice.best.tunables["block"]);
  };
  BOOST_TEST((at({64, 64}) == std::pair(Size{64, 64}, std::int64_t{32})));
  BOOST_TEST((at({128, 128}) == std::pair(Size{64, 64}, std::int64_t{32})));
  BOOST_TEST((at({500, 900}) == std::pair(Size{1024, 1024}, std::int64_t{64})));
  BOOST_TEST(!tuned.find("fake/cuda/naive", Dtype::f64, {64, 64}).has_value());
  BOOST_TEST(!tuned.find("fake/cuda/warp", Dtype::f32, {64, 64}).has_value());
  BOOST_TEST(!tuned.find("fake/cuda/naive", Dtype::f32, {64}).has_value());
}

BOOST_AUTO_TEST_CASE(as_typed) {
  const auto request =
      parse({"tune", "fake", "64", "--budget", "3", "--block", "32,64"});
  BOOST_TEST((request.plan.sizes == std::vector<Size>{{64, 64}}));
  BOOST_TEST(request.plan.tunables.at("block") == (Numbers{32, 64}),
             per_element());
  const auto best = parse({"fake", "64"}, {{"GPU_BLOCK_SIZE", "best"}});
  BOOST_TEST(best.best.at("block") == "GPU_BLOCK_SIZE=best");
  BOOST_TEST(best.plan.tunables.empty());
  BOOST_TEST(
      parse({"fake_line", "64"}, {{"GPU_BLOCK_SIZE", "best"}}).best.empty());
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"tune"},
        {"tune", "fake"},
        {"tune", "nonsuch", "64"},
        {"tune", "fake", "64", "--budget", "0"},
        {"tune", "fake", "64", "--block", "best"},
        {"tune", "fake", "64", "--cache", "cold"},
        {"tune", "fake", "64", "--format", "record"},
        {"fake", "64", "--budget", "3"},
        {"fake_line", "64", "--block", "best"}}) {
    BOOST_CHECK_THROW(testing::said_by(wrong), UsageError);
  }
}

// All steps for a variant on the CPU: searched, stored, not searched again,
// used.
BOOST_AUTO_TEST_CASE(tuned_and_used) {
  const TuneRequest asked = tune_rows();
  std::ostringstream out, messages;
  BOOST_TEST(tune(asked, out, messages) == 0);
  BOOST_TEST(contains(out.str(), "openmp/rows  40x40 float"));
  BOOST_TEST(contains(messages.str(), "kept in " + file));
  const auto first = load_records(file);
  // Two in the search, then the winner once more, and the defaults unless they
  // won.
  BOOST_TEST(first.records.size() >= 3u);
  BOOST_TEST(first.records.size() <= 4u);
  const auto choice =
      choose_best(latest(first.records),
                  defaults_of(*asked.plan.variants.front(), physical_cores()));
  // The samples of a record are rounded to eight digits, so the fourth digit of
  // its median may differ from the printed one.
  const double median = choice->best.summary().median;
  BOOST_TEST(
      (contains(out.str(),
                words(quantity(median * (1 - 1e-7), Unit::second))) ||
       contains(out.str(), words(quantity(median * (1 + 1e-7), Unit::second)))),
      out.str() << " does not say " << median);
  BOOST_TEST(tune(asked, out, messages) == 0);
  BOOST_TEST(load_records(file).records.size() == first.records.size());

  auto run = parse(
      {"dmv", "40", "50", "--variant", "openmp/rows", "--threads", "best"});
  const auto notes = use_best(run.best, file, run.plan);
  BOOST_REQUIRE(notes.size() == 1u);
  BOOST_TEST((notes[0].cause == Cause::tuned_at_another_size));
  BOOST_TEST(std::get<std::string>(notes[0].arguments[1]) == "50x50");
  BOOST_TEST(std::get<std::string>(notes[0].arguments[3]) == "40x40");
  const auto chosen =
      run.plan.choose(*run.plan.variants[0], {50, 50}, Dtype::f32);
  BOOST_REQUIRE(chosen.size() == 1u);
  BOOST_TEST(to_string(chosen[0]) == to_string(choice->best.tunables));
}

// The message names the command that tunes it; it is an error if this variant
// is the only one.
BOOST_AUTO_TEST_CASE(a_variant_that_is_not_tuned) {
  const TuneRequest rows = tune_rows();
  std::ostringstream out, messages;
  BOOST_TEST(tune(rows, out, messages) == 0);
  auto both = parse({"dmv", "40", "--variant", "openmp/rows,openmp/blocked",
                     "--threads", "best"});
  const auto missing = use_best(both.best, file, both.plan);
  BOOST_REQUIRE(missing.size() == 1u);
  BOOST_TEST((missing[0].cause == Cause::not_tuned));
  BOOST_TEST(std::get<std::string>(missing[0].arguments[1]) ==
             "parlab tune dmv 40x40 --variant openmp/blocked");
  auto none =
      parse({"dmv", "40", "--variant", "openmp/blocked", "--threads", "best"});
  BOOST_CHECK_EXCEPTION(
      use_best(none.best, file, none.plan), UsageError,
      [](const UsageError& error) {
        return contains(
            error.what(),
            "--threads best: nothing is known of it on this machine; "
            "run 'parlab tune dmv 40x40 --variant openmp/blocked'");
      });
}

BOOST_AUTO_TEST_CASE(what_has_no_time_is_not_to_be_used) {
  TuneRequest asked = tune_rows();
  asked.plan.memory_bytes = 1;
  std::ostringstream out, messages;
  tune(asked, out, messages);
  BOOST_TEST(contains(out.str(), "none has a time: out_of_memory"), out.str());
  BOOST_TEST(!contains(messages.str(), "kept in"), messages.str());
}

BOOST_AUTO_TEST_CASE(a_variant_without_tunables_cannot_be_tuned) {
  std::ostringstream out, messages;
  const TuneRequest untunable{
      parse({"tune", "dmv", "40", "--variant", "serial/plain"}).plan, 60, file,
      "table"};
  BOOST_CHECK_THROW(tune(untunable, out, messages), UsageError);
}

BOOST_AUTO_TEST_SUITE_END()
