// How often compare is wrong, and which changes it finds, on runs drawn from
// this repository's own records.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "compare/compare.hpp"
#include "core/parallel.hpp"
#include "record/store.hpp"

using namespace parlab;

namespace {

// The number of runs per side, in turns, as docs/how-to/in-a-pull-request.md
// asks.
constexpr int runs_of_each_side = 16;

bool changed(const ComparedPoint& point) {
  return point.change != Change::same && point.change != Change::undecided;
}

// Neither too short for the clock nor with more samples than a test needs.
std::vector<Record> recorded(const std::string& path, bool on_gpu) {
  std::vector<Record> chosen;
  for (auto& record : latest(load_records(path).records)) {
    if (!record.timed() || record.for_gpu() != on_gpu) continue;
    const auto samples = record.samples();
    if (samples.seconds.size() > 300 || median(samples.seconds) < 5e-5 ||
        judged_groups(samples).empty())
      continue;
    chosen.push_back(std::move(record));
  }
  return chosen;
}

// Keeps records whose median one run determines to this share.
std::vector<Record> known_to(double share, std::vector<Record> records) {
  std::erase_if(records, [&](const Record& record) {
    return record.summary().precision > share;
  });
  return records;
}

class Rerun {
 public:
  explicit Rerun(std::uint64_t seed) : random_(seed) {}

  const Record& one_of(const std::vector<Record>& records) {
    return records[random_() % records.size()];
  }

  // Batches of the recorded run, drawn with replacement; all of them have an
  // offset, as runs on that machine have.
  std::vector<Record> runs_of(const Record& recorded, int count,
                              double slower = 1) {
    const auto samples = recorded.samples();
    const auto groups = judged_groups(samples);
    std::vector<std::size_t> begins{0};
    for (const auto size : groups)
      begins.push_back(begins.back() + size);
    std::vector<Record> runs(static_cast<std::size_t>(count), recorded);
    for (auto& run : runs) {
      run.run = "run " + std::to_string(&run - runs.data());
      const double off =
          slower * std::exp(samples.between_runs * normal_(random_));
      run.seconds.clear();
      run.batches.clear();
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto drawn = random_() % groups.size();
        for (auto i = begins[drawn]; i < begins[drawn + 1]; ++i)
          run.seconds.push_back(samples.seconds[i] * off);
        run.batches.push_back(static_cast<int>(groups[drawn]));
      }
    }
    return runs;
  }

  // The first point is slower by this much; the others are unchanged.
  Comparison compared(const std::vector<Record>& points, int count,
                      double slower = 1) {
    std::vector<Record> before, after;
    for (const auto& point : points) {
      const bool first = &point == &points.front();
      std::ranges::move(runs_of(point, count), std::back_inserter(before));
      std::ranges::move(runs_of(point, count, first ? slower : 1),
                        std::back_inserter(after));
    }
    return compare_records(std::move(before), std::move(after));
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

struct Recorded {
  std::vector<Record> gpu = recorded("results/nvidia-h200/tiled-matmul.jsonl",
                                     true),
                      cpu = recorded("results/nvidia-h200/patras-atax.jsonl",
                                     false);

  std::vector<Record> some(Rerun& rerun) const {
    return {rerun.one_of(gpu), rerun.one_of(cpu), rerun.one_of(gpu),
            rerun.one_of(cpu)};
  }
};

const Recorded& the_records() {
  static const Recorded all;
  return all;
}

// The number of comparisons of a program with itself that call a point slower,
// faster or failed.
int false_alarms(int comparisons, int runs) {
  std::atomic<int> wrong = 0;
  on_all_cores(static_cast<std::size_t>(comparisons), [&](std::size_t seed) {
    Rerun rerun(seed);
    const auto comparison = rerun.compared(the_records().some(rerun), runs);
    wrong += std::ranges::any_of(comparison.points, changed);
  });
  return wrong;
}

// The number of a hundred slowdowns that are found, each of one point in four.
int found(const std::vector<Record>& among, double slower) {
  std::atomic<int> found = 0;
  on_all_cores(100, [&](std::size_t seed) {
    Rerun rerun(seed);
    auto points = the_records().some(rerun);
    points.front() = rerun.one_of(among);
    const auto identity = points.front().identity();
    const auto comparison = rerun.compared(points, runs_of_each_side, slower);
    found +=
        std::ranges::any_of(comparison.points, [&](const ComparedPoint& point) {
          return point.change == Change::slower &&
                 point.after.last.identity() == identity;
        });
  });
  return found;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(with_itself)

// The rules promise at most 50 in a thousand. One run decides on a GPU, where a
// kernel whose clock depends on power may differ from itself by more than the
// margin.
BOOST_AUTO_TEST_CASE(comparisons_with_itself_alarm_less_often_than_promised) {
  BOOST_TEST(false_alarms(1000, runs_of_each_side) <= 5);
  BOOST_TEST(false_alarms(1000, 1) <= 10);
}

BOOST_AUTO_TEST_CASE(what_is_slower_by_3_or_10_percent_is_found) {
  const auto gpu = known_to(0.01, the_records().gpu),
             cpu = known_to(0.05, the_records().cpu);
  BOOST_TEST(gpu.size() > 100U);
  BOOST_TEST(cpu.size() > 10U);
  BOOST_TEST(found(gpu, 1.03) >= 95);
  BOOST_TEST(found(cpu, 1.10) >= 95);
}

BOOST_AUTO_TEST_SUITE_END()
