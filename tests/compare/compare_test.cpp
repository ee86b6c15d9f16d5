// Two runs, point by point: changes are found, and an unchanged point is not
// called slower.
#include "compare/compare.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "cli/run_request.hpp"
#include "core/text.hpp"
#include "fake_workload.hpp"
#include "folder.hpp"
#include "machine/machine.hpp"
#include "places/presence.hpp"
#include "record/store.hpp"
#include "records.hpp"
#include "report/console.hpp"
#include "said.hpp"
#include "sweep/sweep.hpp"
#include "text.hpp"

using namespace parlab;
using testing::contains;

namespace {

constexpr int points = 200;

// Invents the records of a sweep: samples of one batch are
// alike, a few are disturbed.
class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {}

  bool knows_its_drift = true;  // the records state how far runs differ

  // drift: the factor of one run to the true time, the same for all samples of
  // a point.
  std::vector<Record> run(double drift,
                          const std::function<double(int)>& true_time) {
    std::vector<Record> records;
    for (int i = 0; i < points; ++i) {
      auto record = testing::record_of(
          i % 2 == 0 ? "fake/cuda/naive" : "fake/serial/naive",
          {1000 + i, 1000 + i});
      record.tunables = {{"block", 256}};
      record.between_runs.share =
          knows_its_drift ? std::max(drift, 1e-4) : 1e-4;
      add_samples(record, true_time(i) * std::exp(normal(drift)));
      records.push_back(std::move(record));
    }
    return records;
  }

 private:
  void add_samples(Record& record, double time) {
    for (int batch = 0; batch < 4; ++batch) {
      const double of_batch = time * std::exp(normal(0.004));
      for (int s = 0; s < 12; ++s) {
        double sample = of_batch * std::exp(normal(0.01));
        // an interruption
        if (uniform_(random_) < 0.03) sample *= 1 + 2 * uniform_(random_);
        record.seconds.push_back(sample);
      }
      record.batches.push_back(12);
    }
  }
  double normal(double deviation) { return deviation * normal_(random_); }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

// The true time of a point, unless a test says otherwise.
double typical(int point) {
  return 1e-6 * (10 + point);
}

Record point_of(std::vector<double> seconds,
                const std::string& variant = "naive") {
  auto record = testing::record_of("fake/cuda/" + variant, {64, 64});
  record.seconds = std::move(seconds);
  return record;
}

std::vector<double> around(double median) {
  std::vector<double> samples;
  for (int i = 0; i < 48; ++i)
    samples.push_back(median * (1 + 0.001 * (i % 5 - 2)));
  return samples;
}

// A record file that is deleted at the end.
struct RecordFile {
  explicit RecordFile(const std::vector<Record>& records,
                      const std::string& machine = "here") {
    Run run;
    run.id = "run";
    run.machine = machine;
    run.commit = "0123456789";
    run.date = "2025-01-02T03:04:05Z";
    Store store(path, run);
    for (Record record : records) {
      if (record.variant == "naive" || record.variant == "warp")
        record.tunables = {{"block", 128}};
      store.append(record);
    }
  }
  testing::Folder folder;
  std::string path = (folder.path / "a.jsonl").string();
};

using Words = std::vector<std::string>;

testing::Said compared(const RecordFile& before, const RecordFile& after,
                       const Words& more = {}) {
  Words words{"compare", before.path, after.path};
  words.insert(words.end(), more.begin(), more.end());
  return testing::said_by(words);
}

std::string shown(const std::string& path, const Words& options) {
  Words words{"show", path};
  words.insert(words.end(), options.begin(), options.end());
  return testing::said_by(words).out;
}

std::size_t changed(const Comparison& comparison) {
  return comparison.count(Change::slower) + comparison.count(Change::faster);
}

struct Fixture {
  Fixture() { register_fake_workloads(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(compare, Fixture)

// Two runs of the same binary, whose times differ slightly as those of real
// runs do.
BOOST_AUTO_TEST_CASE(two_runs_of_one_binary_are_the_same) {
  Machine machine(1);
  std::size_t same = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto comparison =
        compare_records(machine.run(0.01, typical), machine.run(0.01, typical));
    BOOST_TEST(comparison.points.size() == std::size_t{points});
    BOOST_TEST(changed(comparison) == 0u);
    same += comparison.count(Change::same);
  }
  BOOST_TEST(same > std::size_t{3 * points * 8 / 10});
}

// A wrong "slower" is most likely at the edge of the margin. Even there at most
// 1 comparison in 20 may have one. The chance of more than 4 in 25 would then
// be below 1 %.
BOOST_AUTO_TEST_CASE(the_error_rate_is_that_of_all_points_together) {
  Machine machine(2);
  const auto edge = [](int point) {
    return (1 + CompareRules{}.margin_of_one_run) * typical(point);
  };
  int wrong = 0;
  for (int repeat = 0; repeat < 25; ++repeat) {
    const auto comparison =
        compare_records(machine.run(0, typical), machine.run(0, edge));
    wrong += changed(comparison) > 0;
    // expected: 5 %
    BOOST_TEST(comparison.count(Change::same) < std::size_t{points / 8});
  }
  BOOST_TEST(wrong <= 4);
}

BOOST_AUTO_TEST_CASE(points_that_changed_are_found_and_come_first) {
  Machine machine(3);
  const auto new_time = [](int point) {
    if (point == 17) return 1.5 * typical(point);
    if (point == 42) return 1.1 * typical(point);
    return (point == 90 ? 0.8 : 1) * typical(point);
  };
  const auto comparison = compare_records(machine.run(0.002, typical),
                                          machine.run(0.002, new_time));
  BOOST_TEST(comparison.count(Change::slower) == 2u);
  BOOST_TEST(comparison.count(Change::faster) == 1u);
  BOOST_TEST(comparison.points[0].before.last.size[0] == 1017);
  BOOST_TEST(comparison.points[1].before.last.size[0] == 1042);
  BOOST_TEST(comparison.points[2].before.last.size[0] == 1090);
  const auto& test = comparison.points[1].test;
  BOOST_TEST(test.ratio.interval.holds(1.1));
  BOOST_TEST(test.ratio.interval.high - test.ratio.interval.low < 0.05);
}

BOOST_AUTO_TEST_CASE(intervals_cover_the_truth) {
  Machine machine(4);
  const auto doubled = [](int point) { return 2 * typical(point); };
  const auto comparison =
      compare_records(machine.run(0, typical), machine.run(0, doubled));
  const auto covered =
      std::count_if(comparison.points.begin(), comparison.points.end(),
                    [](const ComparedPoint& point) {
                      return point.test.ratio.interval.holds(2);
                    });
  BOOST_TEST(covered >= points * 91 / 100);
  BOOST_TEST(covered < points);
}

// A noisy machine: each run is off by some 20 per cent.
BOOST_AUTO_TEST_CASE(
    one_run_cannot_know_how_far_runs_differ_unless_it_is_told) {
  Machine machine(5);
  BOOST_TEST(changed(compare_records(machine.run(0.2, typical),
                                     machine.run(0.2, typical))) == 0u);
  machine.knows_its_drift = false;
  BOOST_TEST(changed(compare_records(machine.run(0.2, typical),
                                     machine.run(0.2, typical))) >
             std::size_t{points / 2});
}

BOOST_AUTO_TEST_CASE(several_runs_show_how_far_runs_differ) {
  Machine machine(6);
  machine.knows_its_drift = false;
  const auto four_runs = [&](const std::function<double(int)>& true_time) {
    std::vector<Record> records;
    for (int run = 0; run < 4; ++run) {
      for (auto& record : machine.run(0.2, true_time)) {
        record.run = "run " + std::to_string(run);
        records.push_back(std::move(record));
      }
    }
    return records;
  };
  const auto again = compare_records(four_runs(typical), four_runs(typical));
  BOOST_TEST(again.by_runs() == std::size_t{points});
  BOOST_TEST(changed(again) == 0u);
  const auto worse = [](int point) {
    return (point == 7 ? 50 : 1) * typical(point);
  };
  const auto slower = compare_records(four_runs(typical), four_runs(worse));
  BOOST_TEST(changed(slower) == 1u);
  BOOST_TEST(slower.points[0].before.last.size[0] == 1007);
}

// By hand: 4 times the least, 3 times the next, ..., and each at least the one
// before it.
BOOST_AUTO_TEST_CASE(holm_by_hand) {
  const std::vector<double> expected{0.03, 0.06, 0.06, 0.02},
      found = holm({0.01, 0.04, 0.03, 0.005});
  for (int i = 0; i < 4; ++i) {
    BOOST_TEST(found[i] == expected[i], boost::test_tools::tolerance(1e-12));
  }
  BOOST_TEST(holm({}).empty());
  BOOST_TEST(holm({0.9, 0.8})[0] == 1);
}

// On shared CPUs two single runs of one program had ratios of 0.60 to 0.70.
// Only more runs show whether that is a change.
BOOST_AUTO_TEST_CASE(one_run_on_shared_cpus_decides_nothing) {
  const auto runs = [](double median, bool shared, double spread, int count) {
    std::vector<Record> records;
    for (int i = 0; i < count; ++i) {
      Record record = point_of(around(median * (1 + 0.01 * i)));
      record.backend = "serial";
      record.run = "run" + std::to_string(i);
      record.shares_cpus = shared;
      record.between_runs.share = spread;
      records.push_back(record);
    }
    return records;
  };
  const auto change = [&](bool shared, double spread, int count) {
    return compare_records(runs(1e-3, shared, spread, count),
                           runs(0.65e-3, shared, spread, count));
  };
  const auto quiet = change(false, 0.01, 1);
  BOOST_TEST(to_string(quiet.points.at(0).change) == "faster");
  BOOST_TEST(quiet.runs_needed() == 0);
  for (const auto& waiting : {change(true, 0.01, 1), change(false, 0, 1)}) {
    BOOST_TEST(to_string(waiting.points.at(0).change) == "undecided");
    BOOST_TEST(waiting.runs_needed() >= 2);
    BOOST_TEST(waiting.runs_needed() < 5);
  }
  BOOST_TEST(quiet.points.at(0).runs_needed == 0);
  // Several runs that differ too much: more of them, or at most 20.
  const auto spread =
      compare_records(runs(1e-3, true, 0.01, 3), runs(1.03e-3, true, 0.01, 3));
  BOOST_TEST(to_string(spread.points.at(0).change) == "undecided");
  BOOST_TEST(spread.points.at(0).runs_needed > 3);
  BOOST_TEST(spread.points.at(0).runs_needed <= 20);
  const auto more = change(true, 0.01, 4);
  BOOST_TEST(to_string(more.points.at(0).change) == "faster");
  // the same on a GPU, which shares neither memory nor clock
  auto before = runs(1e-3, true, 0.005, 1),
       after = runs(0.65e-3, true, 0.005, 1);
  before.front().backend = after.front().backend = "cuda";
  BOOST_TEST(to_string(compare_records(before, after).points.at(0).change) ==
             "faster");
}

// 48 equal samples show the clock's ticks, not the time.
BOOST_AUTO_TEST_CASE(differences_within_the_ticks_of_a_clock_decide_nothing) {
  const Samples before{std::vector<double>(48, 1e-6)},
      after{std::vector<double>(48, 1.25e-6)};
  BOOST_TEST(test_ratio({before}, {after}, 0.02)->p_differs > 0.05);
  const Samples longer{std::vector<double>(48, 1e-3)},
      by_half{std::vector<double>(48, 1.5e-3)};
  BOOST_TEST(test_ratio({longer}, {by_half}, 0.02)->p_differs < 1e-6);
}

BOOST_AUTO_TEST_CASE(few_samples_and_missing_points) {
  Record failed = point_of({}, "broken"), gone = point_of({}, "gone");
  failed.verdict = Verdict::wrong_result;
  gone.verdict = Verdict::no_device;
  Record emulated = point_of({}, "emulated");
  emulated.emulated = true;
  const auto timed = [](const std::string& variant) {
    return point_of(around(1), variant);
  };
  const auto comparison =
      compare_records({point_of({1, 1, 1}), timed("broken"), timed("gone"),
                       timed("old"), emulated},
                      {point_of({9, 9, 9}), failed, gone, timed("new"),
                       timed("newer"), emulated});
  BOOST_REQUIRE(comparison.points.size() == 2u);
  BOOST_TEST(to_string(comparison.points[0].change) == "failed");
  BOOST_TEST(to_string(comparison.points[1].change) == "undecided");
  BOOST_TEST(!comparison.points[1].tested);
  BOOST_TEST(comparison.only_before == 1u);
  BOOST_TEST(comparison.only_after == 2u);
  BOOST_TEST(comparison.without_time == 1u);
}

BOOST_AUTO_TEST_CASE(the_command) {
  const RecordFile before({point_of(around(1)), point_of(around(1), "steady")});
  const RecordFile after(
      {point_of(around(1.08)), point_of(around(1), "steady")});
  const auto table = compared(before, after).out;
  BOOST_TEST(contains(table, "slower  fake/cuda/naive  64x64 float hot"));
  BOOST_TEST(contains(table, "1.08"));
  BOOST_TEST(!contains(table, "fake/cuda/steady"));
  const auto counts =
      table.find("2 points compared: 1 slower, 0 faster, 1 same, 0 undecided");
  BOOST_TEST(counts < table.find("fake/cuda/naive"), table);  // and first
  BOOST_TEST(contains(compared(before, after, {"--all"}).out,
                      "same    fake/cuda/steady"));
  BOOST_TEST(compared(before, after, {"--fail-if-slower", "5"}).status == 1);
  BOOST_TEST(compared(before, after, {"--fail-if-slower", "9"}).status == 0);
  BOOST_TEST(
      contains(compared(before, after, {"--format", "csv"}).out,
               "\nsame,fake,cuda,steady,64x64,float,hot,uniform,,1,1,1,"));
  BOOST_TEST(contains(compared(before, after, {"--format", "markdown"}).out,
                      "\n| slower | fake/cuda/naive | 64x64 float hot | "
                      "block=128 | 1.000 s | 1.080 s | 1.08× | "));
  const Words json{"--format", "json"};
  BOOST_TEST(contains(compared(before, after, json).out,
                      R"("slower":1,"faster":0,"same":1)"));
  const auto of_variant = [&](const std::string& name) {
    return compared(before, after, {"--format", "json", "--variant", name});
  };
  BOOST_TEST(contains(of_variant("steady").out, R"("slower":0)"));
  BOOST_CHECK_THROW(of_variant("nonsuch"), UsageError);
}

BOOST_AUTO_TEST_CASE(fail_if_slower_fails_where_nothing_can_be_compared) {
  Record gone = point_of({}), noisy = point_of(around(1), "noisy");
  gone.verdict = Verdict::no_device;
  noisy.backend = "openmp";
  const RecordFile before({point_of(around(1)), point_of(around(1), "steady")});
  const RecordFile lost({gone, point_of(around(1), "steady")}),
      few({point_of({1, 1, 1})}), other({point_of(around(1), "other")}),
      openmp({noisy});
  const auto gate = [](const RecordFile& a, const RecordFile& b) {
    return compared(a, b, {"--fail-if-slower", "5"});
  };
  BOOST_TEST(gate(before, before).status == 0);
  BOOST_TEST(gate(before, lost).status == 1);
  BOOST_TEST(contains(gate(before, lost).messages, "device is not there"));
  BOOST_TEST(gate(before, few).status == 1);
  BOOST_TEST(gate(before, other).status == 1);
  BOOST_TEST(contains(gate(before, other).messages, "nothing was compared"));
  // On a CPU single runs differ by more than 5 % without any change.
  BOOST_CHECK_THROW(gate(openmp, openmp), UsageError);
}

BOOST_AUTO_TEST_CASE(refused_options) {
  const std::vector<std::string> refused[] = {
      {"compare", "a"},
      {"compare", "a", "b", "c"},
      {"compare", "a", "b", "--margin", "x"},
      {"compare", "a", "b", "--margin", "0"},
      {"compare", "a", "b", "--fail-if-slower", "1%"},
      {"compare", "a", "b", "--format", "record"},
      {"compare", "a", "b", "--backend", "cudda"},
      {"fake", "64", "--margin", "5%"},
      {"show", "a", "--margin", "5%"},
      {"show", "a", "--verdict", "pased"},
      {"show", "a", "--size", "0"}};
  for (const auto& words : refused) {
    BOOST_TEST_CONTEXT(join(words, " ")) {
      BOOST_CHECK_THROW(testing::said_by(words), UsageError);
    }
  }
  // before anything is read
  BOOST_TEST(
      contains(testing::message_of<UsageError>([] {
                 testing::said_by({"compare", "a", "b", "--plot", "x.pdf"});
               }),
               "no picture"));
}

BOOST_AUTO_TEST_CASE(other_programs_read_the_medians_of_runs) {
  const auto exported = [](const RecordFile& file, const std::string& format) {
    return testing::said_by({"export", file.path, "--format", format}).out;
  };
  Record failed = point_of({}, "warp");
  failed.verdict = Verdict::wrong_result;
  const RecordFile file({point_of(around(2)), failed});
  const auto json = exported(file, "google-benchmark");
  BOOST_TEST(contains(json, R"({"context":{"date":"2025-01-02T03:04:05Z",)"));
  BOOST_TEST(
      contains(json, R"("name":"fake/cuda/naive/64x64/float/hot/block:128",)"));
  BOOST_TEST(contains(json, R"("run_type":"iteration","repetitions":1,)"));
  BOOST_TEST(contains(json, R"("real_time":2e+09,)"), json);
  BOOST_TEST(!contains(json, "warp"));
  BOOST_TEST(
      exported(file, "openmetrics") ==
      "# TYPE parlab_time_seconds gauge\n"
      "# UNIT parlab_time_seconds seconds\n"
      "# HELP parlab_time_seconds Median time of one execution.\n"
      "parlab_time_seconds{machine=\"here\",workload=\"fake\",backend=\"cuda\","
      "variant=\"naive\",size=\"64x64\",dtype=\"float\",cache=\"hot\",inputs="
      "\"uniform\","
      "tunables=\"block=128\"} 2 1735787045\n"
      "# EOF\n");
  const RecordFile other({point_of(around(1))}, "there");
  BOOST_CHECK_THROW(testing::said_by({"export", file.path, other.path,
                                      "--format", "google-benchmark"}),
                    UsageError);
}

// All commands read their records in one place.
BOOST_AUTO_TEST_CASE(a_file_or_folder_without_records_is_refused) {
  const testing::Folder folder;
  const auto text = (folder.path / "README.md").string();
  std::ofstream(text) << "# Records\n\nare elsewhere.\n";
  for (const auto* command :
       {"show", "audit", "claims", "export", "reproduce"}) {
    for (const auto& path : {text, folder.path.string()}) {
      try {
        testing::said_by({command, path});
        BOOST_ERROR(command << " accepts " << path);
      } catch (const UsageError& refused) {
        BOOST_TEST(contains(refused.what(), "no records in '" + path));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_filter_that_leaves_nothing_is_refused) {
  const RecordFile file({point_of(around(1))});
  const auto why = [&](const char* command, const Words& options) {
    Words words{command, file.path};
    words.insert(words.end(), options.begin(), options.end());
    return testing::message_of<UsageError>([&] { testing::said_by(words); });
  };
  BOOST_TEST(why("show", {"--size", "5"}) == "show: no record is left");
  BOOST_TEST(why("audit", {"--size", "5"}) == "audit: no record is left");
  for (const Words& options :
       {Words{"--variant", "cuda/naiv"}, {"--variant", "cuda/naiv", "--trend"}})
    BOOST_TEST(why("show", options) ==
               "show: no record is left; none is of 'cuda/naiv'; did you mean "
               "'cuda/naive'?");
}

BOOST_AUTO_TEST_CASE(smaller_sizes_are_shown_first) {
  Record large = point_of(around(1));
  large.size = {256, 256};
  const RecordFile file({large, point_of(around(1))});
  const auto table = shown(file.path, {});
  BOOST_TEST(table.find("64x64") < table.find("256x256"), table);
}

BOOST_AUTO_TEST_CASE(an_empty_folder_is_not_packed) {
  const testing::Folder folder;
  BOOST_CHECK_THROW(testing::said_by({"pack", folder.path}), UsageError);
}

// Three commits; one point is slower at the third, one fails at the second, and
// one appears once.
BOOST_AUTO_TEST_CASE(a_trend_goes_from_commit_to_commit) {
  const testing::Folder folder;
  const auto path = (folder.path / "history.jsonl").string();
  const auto measure = [&](int commit, const std::vector<Record>& records) {
    Run run;
    run.id = "run" + std::to_string(commit);
    run.date = "2025-01-0" + std::to_string(commit) + "T00:00:00Z";
    run.commit = "commit" + std::to_string(commit);
    run.machine = "here";
    Store store(path, run);
    for (Record record : records) {
      record.run = run.id;
      record.tunables = {{"block", 128}};
      store.append(record);
    }
  };
  Record failed = point_of(around(1));
  failed.seconds.clear();
  failed.verdict = Verdict::wrong_result;
  measure(1, {point_of(around(1)), point_of(around(2), "warp")});
  measure(2, {failed, point_of(around(2), "warp"), point_of(around(1), "new")});
  measure(3, {point_of(around(1.2)), point_of(around(2), "warp")});
  BOOST_TEST(testing::said_by({"show", path, "--trend"}).messages == "");
  const auto table = shown(path, {"--trend"});
  BOOST_TEST(
      contains(table, "here: fake/cuda/naive fake 64x64 float hot, block=128"));
  BOOST_TEST(contains(table, "2025-01-02  commit2"), table);
  BOOST_TEST(contains(table, "(wrong_result)"), table);
  BOOST_TEST(contains(table, "1 point of one commit alone, 1 that changed"));
  BOOST_TEST(!contains(table, "warp"), table);
  BOOST_TEST(contains(shown(path, {"--trend", "--all"}), "warp"));
  const auto csv = shown(path, {"--trend", "--format", "csv"});
  BOOST_TEST(
      contains(csv,
               "naive,fake 64x64 float hot,block=128,2025-01-02,commit2,,,"
               ",,,failed\n"),
      csv);
  BOOST_TEST(contains(csv, ",commit3,1,1.2,1.2,"), csv);
  BOOST_TEST(contains(csv, ",slower\n"), csv);
  BOOST_TEST(contains(csv, ",commit3,1,2,1,"), csv);
  BOOST_CHECK_THROW(shown(path, {"--trend", "--format", "record"}), UsageError);
}

namespace {

// cuda/naive in 1 s, cuda/warp in 2 s, serial/plain in 4 s.
struct ThreeRecords : RecordFile {
  ThreeRecords()
      : RecordFile(
            {point_of(around(1)), point_of(around(2), "warp"), serial()}) {}

  static Record serial() {
    Record record = point_of(around(4), "plain");
    record.backend = "serial";
    return record;
  }

  std::string filtered(const std::vector<std::string>& options) const {
    Words words{"--format", "csv"};
    words.insert(words.end(), options.begin(), options.end());
    return shown(path, words);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(filters_choose_records) {
  const ThreeRecords file;
  const auto rows = [&](const std::vector<std::string>& options) {
    const auto text = file.filtered(options);
    // without the titles
    return std::count(text.begin(), text.end(), '\n') - 1;
  };
  BOOST_TEST(rows({}) == 3);
  BOOST_TEST(rows({"--backend", "cuda"}) == 2);
  BOOST_TEST(rows({"--variant", "cuda/warp"}) == 1);
  BOOST_TEST(rows({"--variant", "warp,fake/serial/plain"}) == 2);
  BOOST_CHECK_THROW(rows({"--workload", "dmv"}), UsageError);
  BOOST_CHECK_THROW(rows({"--workload", "nonsuch"}), UsageError);
  BOOST_TEST(rows({"--size", "64"}) == 3);
  BOOST_TEST(rows({"--size", "16:64:*2"}) == 3);
  BOOST_TEST(rows({"--size", "64x64"}) == 3);
  BOOST_CHECK_THROW(rows({"--size", "64x63,65"}), UsageError);
  BOOST_CHECK_THROW(rows({"--dtype", "double"}), UsageError);
  BOOST_TEST(rows({"--cache", "hot"}) == 3);
  BOOST_TEST(rows({"--verdict", "passed"}) == 3);
  BOOST_CHECK_THROW(rows({"--verdict", "wrong_result,timed_out"}), UsageError);
  BOOST_CHECK_THROW(rows({"--verdict", "failed"}), UsageError);
  BOOST_TEST(rows({"--verdict", "failed,passed"}) == 3);
}

// A point skipped for its time has not failed; one that was ended has.
BOOST_AUTO_TEST_CASE(failed_is_a_word_for_all_verdicts_that_accuse) {
  Record wrong = point_of(around(1), "wrong"), skipped = wrong, endless = wrong;
  wrong.verdict = Verdict::wrong_result;
  skipped.variant = "skipped";
  endless.variant = "endless";
  skipped.verdict = endless.verdict = Verdict::timed_out;
  endless.detail = {.cause = Cause::ended, .further = {other("after 60 s")}};
  const RecordFile file({point_of(around(1)), wrong, skipped, endless});
  const auto text =
      shown(file.path, {"--verdict", "failed", "--format", "csv"});
  for (const auto* name : {",wrong,", ",endless,"})
    BOOST_TEST(contains(text, name), text);
  for (const auto* name : {",naive,", ",skipped,"})
    BOOST_TEST(!contains(text, name), text);
}

BOOST_AUTO_TEST_CASE(a_filter_hides_neither_the_baseline_nor_the_machine) {
  const ThreeRecords file;
  const auto warp = file.filtered({"--variant", "warp"});
  BOOST_TEST(contains(warp, ",here,"));
  BOOST_TEST(contains(warp, ",0123456789"));
  const auto table = shown(file.path, {"--backend", "cuda"});
  BOOST_TEST(contains(table, "2.00x"));
  BOOST_TEST(!contains(table, "serial/plain   "));
  const Words json{"--format", "json"};
  BOOST_TEST(shown(file.path, json) !=
             shown(file.path, {"--format", "json", "--backend", "cuda"}));
}

BOOST_AUTO_TEST_CASE(csv_of_a_run_says_where_it_was) {
  auto plan = read_run(read_arguments({"parlab", "dmv", "8", "--variant",
                                       "serial/plain", "--iterations", "6"},
                                      {}))
                  .plan;
  plan.host_ceilings = Ceilings{};
  std::ostringstream out, messages;
  const auto reporter = make_reporter("csv", out);
  Console console(*reporter, messages, 0);
  BOOST_TEST(run_sweep(plan, console) == 0);
  reporter->finish();
  const auto here = describe_run("", gpus_present());
  BOOST_TEST(contains(out.str(), "," + here.machine + "," + here.host_id + "," +
                                     here.gpu + "," + here.cpu + ","));
}

BOOST_AUTO_TEST_SUITE_END()
