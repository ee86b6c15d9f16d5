// Statistics on samples with known answers.
#include "statistics/statistics.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "statistics/between_runs.hpp"

using namespace parlab;

namespace {

// Runs of one binary whose true median is 1, as a sweep sees them: in batches
// of correlated samples.
class Process {
 public:
  explicit Process(unsigned seed) : random_(seed) {}

  double normal(double deviation) { return deviation * normal_(random_); }

  // Each sample keeps `memory` of the previous one's deviation, across batches
  // too.
  Samples autoregressive(int batches, int batch, double memory) {
    Samples samples;
    double state = normal(1);
    for (int b = 0; b < batches; ++b) {
      for (int i = 0; i < batch; ++i) {
        samples.seconds.push_back(std::exp(0.01 * state));
        state = memory * state + normal(std::sqrt(1 - memory * memory));
      }
      samples.batches.push_back(batch);
    }
    return samples;
  }

  // As skewed as times are.
  Samples skewed(int batches, int batch) {
    Samples samples;
    for (int i = 0; i < batches * batch; ++i) {
      samples.seconds.push_back(1 +
                                0.02 * (exponential_(random_) - std::log(2)));
    }
    samples.batches.assign(static_cast<std::size_t>(batches), batch);
    return samples;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::exponential_distribution<double> exponential_;
};

constexpr int trials = 2000;

// In how many runs of a hundred the interval contains the true value, 1.
double coverage(const std::function<Samples()>& run) {
  int held = 0;
  for (int trial = 0; trial < trials; ++trial)
    held += summarize(run()).interval.holds(1);
  return 100.0 * held / trials;
}

void scale(Samples& samples, double factor) {
  for (auto& second : samples.seconds)
    second *= factor;
}

Samples around(double median, double between_runs = 0) {
  Samples samples;
  for (int i = 0; i < 48; ++i)
    samples.seconds.push_back(median * (1 + 0.0001 * (i % 5 - 2)));
  samples.between_runs = between_runs;
  return samples;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(statistics)

BOOST_AUTO_TEST_CASE(median_of_odd_and_even_counts) {
  BOOST_TEST(median({3, 1, 2}) == 2);
  BOOST_TEST(median({4, 1, 3, 2}) == 2.5);
  BOOST_TEST(median({}) == 0);
  const Summary four = summarize({{4, 1, 3, 2}});
  BOOST_TEST(four.median == 2.5);
  BOOST_TEST(four.min == 1);
  BOOST_TEST(four.mean == 2.5);
  BOOST_TEST(four.count == 4u);
}

BOOST_AUTO_TEST_CASE(too_few_samples_or_batches_have_no_interval) {
  for (const Samples& few :
       {Samples{{1, 2, 3}}, Samples{{1, 2, 3, 4, 5, 6, 7, 8}, {3, 3, 2}}}) {
    const Summary summary = summarize(few);
    BOOST_TEST(summary.interval.low == 0);
    BOOST_TEST(std::isinf(summary.interval.high));
    BOOST_TEST(std::isinf(summary.precision));
    BOOST_TEST(!decided(ratio(summary.estimate, summary.estimate)));
    BOOST_TEST(!tied(ratio(summary.estimate, summary.estimate)));
  }
  BOOST_TEST(summarize({}).count == 0u);
  BOOST_TEST(std::isfinite(summarize({{1, 2, 3, 4}}).interval.high));
}

// Four batches of one sample each, with logarithms 0, 2d, 0, 2d. No two
// neighbours are alike, so there is no correlation to account for: the standard
// error is d / sqrt(3), and t with 3 degrees of freedom is 3.182. The clock's
// tick, the least difference between two samples, adds its own part.
BOOST_AUTO_TEST_CASE(interval_of_four_batches_by_hand) {
  const double d = 0.01;
  const Samples samples{{1, std::exp(2 * d), 1, std::exp(2 * d)}, {1, 1, 1, 1}};
  const Summary summary = summarize(samples);
  const double tick = (std::exp(2 * d) - 1) / summary.median;
  const double of_mean = d * d / 3, of_tick = tick * tick / 6,
               sum = of_mean + of_tick;
  const double freedom = 3 * (sum / of_mean) * (sum / of_mean);
  BOOST_TEST(std::abs(summary.estimate.variance / sum - 1) < 1e-9);
  BOOST_TEST(std::abs(summary.estimate.freedom / freedom - 1) < 1e-9);
  const Uncertain three{1, of_mean, 3};
  BOOST_TEST(std::abs(std::log(three.interval().high) -
                      3.18245 * d / std::sqrt(3)) < 1e-6);
  BOOST_TEST(std::abs(three.interval().low * three.interval().high - 1) <
             1e-12);
}

// ---- coverage: at least 93 of 100 intervals must hold the truth, and not all
// of them ---

BOOST_AUTO_TEST_CASE(intervals_cover_correlated_samples) {
  Process process(1);
  for (const double memory : {0.0, 0.5, 0.8}) {
    for (const int batches : {8, 16, 60}) {
      const double held =
          coverage([&] { return process.autoregressive(batches, 12, memory); });
      BOOST_TEST(held >= 93, "memory " << memory << ", " << batches
                                       << " batches: " << held);
      BOOST_TEST(held < 99.5, "memory " << memory << ", " << batches
                                        << " batches: " << held);
    }
  }
}

// Shows that the test above can fail: an interval that assumes independent
// samples misses the true value far too often.
BOOST_AUTO_TEST_CASE(
    intervals_for_independent_samples_do_not_cover_correlated_ones) {
  Process process(2);
  int held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    auto seconds = process.autoregressive(16, 12, 0.8).seconds;
    std::sort(seconds.begin(), seconds.end());
    // The 95 % interval of a median of 192 independent samples lies between
    // these ranks.
    held += seconds[82] <= 1 && 1 <= seconds[109];
  }
  BOOST_TEST(100.0 * held / trials < 80);
}

BOOST_AUTO_TEST_CASE(intervals_cover_skewed_samples_and_batches_of_one) {
  Process process(3);
  for (const auto& [batches, batch] :
       {std::pair{8, 12}, {6, 1}, {10, 1}, {40, 1}}) {
    const double held =
        coverage([&, b = batches, n = batch] { return process.skewed(b, n); });
    BOOST_TEST(held >= 93, batches << " batches of " << batch << ": " << held);
  }
}

// A run that begins slower than its median and ends faster by as much, or the
// other way round.
BOOST_AUTO_TEST_CASE(intervals_cover_a_drift) {
  Process process(4);
  const double held = coverage([&] {
    Samples samples = process.autoregressive(20, 12, 0.3);
    const double slope = process.normal(0.01);  // at either end
    for (std::size_t i = 0; i < samples.seconds.size(); ++i) {
      samples.seconds[i] *= 1 + slope * (static_cast<double>(i) / 119.5 - 1);
    }
    return samples;
  });
  BOOST_TEST(held >= 93);
}

// Each run is off by 2 %, which it cannot see by itself: the interval contains
// the true value only if it knows this.
BOOST_AUTO_TEST_CASE(intervals_cover_what_differs_between_runs) {
  Process process(5);
  const auto run = [&](double told) {
    Samples samples = process.autoregressive(12, 12, 0.5);
    scale(samples, std::exp(process.normal(0.02)));
    samples.between_runs = told;
    return samples;
  };
  const double held = coverage([&] { return run(0.02); });
  BOOST_TEST(held >= 93);
  BOOST_TEST(held < 98);
  BOOST_TEST(coverage([&] { return run(0); }) < 40);
}

// Older records do not state their batches, so their samples are divided into
// some.
BOOST_AUTO_TEST_CASE(samples_whose_batches_are_not_known_are_cut) {
  Process process(6);
  const double held = coverage([&] {
    Samples samples = process.autoregressive(16, 12, 0.5);
    samples.batches.clear();
    return samples;
  });
  BOOST_TEST(held >= 93);
  Samples whole = around(1), odd = around(1);
  odd.batches = {40};  // there are 48 samples
  BOOST_TEST(summarize(odd).interval.high == summarize(whole).interval.high);
}

BOOST_AUTO_TEST_CASE(ratios_cover_the_truth) {
  Process process(7);
  int held = 0, of_means = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<Uncertain> estimates;
    for (int i = 0; i < 4; ++i) {
      Samples samples = process.autoregressive(8 + 4 * i, 12, 0.5);
      scale(samples, (i + 1) * std::exp(process.normal(0.003)));
      samples.between_runs = 0.003;
      estimates.push_back(summarize(samples).estimate);
    }
    held += ratio(estimates[1], estimates[0]).interval.holds(2);
    of_means += ratio(mean_of({estimates[0], estimates[3]}), estimates[2] + 1.0)
                    .interval.holds(2.5 / 4);
  }
  BOOST_TEST(100.0 * held / trials >= 93);
  BOOST_TEST(100.0 * of_means / trials >= 93);
  BOOST_TEST(held < trials);
}

// Twenty points with five runs each: the estimate recovers the true difference
// between runs.
BOOST_AUTO_TEST_CASE(what_differs_between_runs_is_found) {
  Process process(8);
  const auto found = [&](double deviation) {
    std::vector<std::vector<Samples>> points(20);
    for (auto& runs : points) {
      for (int run = 0; run < 5; ++run) {
        runs.push_back(process.autoregressive(10, 12, 0.5));
        scale(runs.back(), std::exp(process.normal(deviation)));
      }
    }
    return spread_between_runs(points).share;
  };
  BOOST_TEST(std::abs(found(0.02) / 0.02 - 1) < 0.25);
  BOOST_TEST(found(0) < 0.001);
  BOOST_TEST(spread_between_runs({}).share == 0);
  BOOST_TEST(spread_between_runs({{around(1)}}).share == 0);
}

// Programs whose processes differ by a twentieth: means of some of them, and
// their ratio, are as precise as stated, if the spread was estimated once, from
// five.
BOOST_AUTO_TEST_CASE(a_few_runs_show_what_others_may_differ_by) {
  Process process(11);
  const auto run = [&] {
    auto samples = process.autoregressive(10, 12, 0.5);
    scale(samples, std::exp(process.normal(0.05)));
    return samples;
  };
  const auto mean = [](const std::vector<Samples>& runs) {
    std::vector<Uncertain> times;
    for (const auto& samples : runs)
      times.push_back(summarize(samples).estimate);
    return mean_of(times);
  };
  for (const int count : {1, 3}) {
    int held = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const std::vector<Samples> reference{run(), run(), run(), run(), run()};
      std::vector<Samples> own;
      for (int i = 0; i < count; ++i)
        own.push_back(run());
      auto spread = one_run_over_another(reference);
      spread.variance *= 1.0 / count + 1.0 / 5;
      held += ratio(mean(own) / mean(reference) / spread).interval.holds(1);
    }
    BOOST_TEST_CONTEXT(count << " over 5") {
      BOOST_TEST(100.0 * held / trials > 92.5);
      BOOST_TEST(100.0 * held / trials < 99);
    }
  }
}

BOOST_AUTO_TEST_CASE(runs_that_are_alike_widen_nothing) {
  const auto alike = one_run_over_another({around(1), around(1), around(1)});
  BOOST_TEST(alike.value == 1);
  BOOST_TEST(alike.variance == 0);
  // The known part is not counted twice.
  const auto known = one_run_over_another(
      {around(1, 0.5), around(1.1, 0.5), around(0.9, 0.5)});
  BOOST_TEST(known.variance == 0);
}

// Half of the points are short, and each run starts its kernels a little
// earlier or later.
BOOST_AUTO_TEST_CASE(what_short_points_differ_by_is_found) {
  Process process(9);
  std::vector<std::vector<Samples>> points(40);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double median_s = i % 2 == 0 ? 5e-6 : 500e-6;
    for (int run = 0; run < 5; ++run) {
      points[i].push_back(process.autoregressive(10, 12, 0.5));
      scale(points[i].back(),
            median_s * std::exp(process.normal(0.01)) + process.normal(0.2e-6));
    }
  }
  const BetweenRuns found = spread_between_runs(points);
  BOOST_TEST(std::abs(found.share / 0.01 - 1) < 0.3);
  BOOST_TEST(std::abs(found.seconds / 0.2e-6 - 1) < 0.3);
  BOOST_TEST(found.at(500e-6) < 0.012);
  BOOST_TEST(found.at(5e-6) > 0.03);
}

// Other programs disturb half of the points, whose runs then differ by a fifth.
// One of the other points is so uncertain that this difference goes unnoticed
// over all points.
BOOST_AUTO_TEST_CASE(what_others_disturb_is_not_hidden_by_one_restless_point) {
  Process process(10);
  std::vector<std::vector<Samples>> points(20);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int run = 0; run < 5; ++run) {
      points[i].push_back(process.autoregressive(10, 12, 0.5));
      if (i == 1) {
        auto& seconds = points[i].back().seconds;
        for (std::size_t at = 0; at < seconds.size(); ++at)
          seconds[at] *= at % 24 < 12 ? 1 : 20;
      }
      scale(points[i].back(),
            (1 + i) * std::exp(process.normal(i % 2 == 0 ? 0.2 : 0)));
    }
  }
  BOOST_TEST(spread_between_runs(points).share < 0.10);
  const auto found = share_between_runs(points);
  BOOST_TEST(found.share > 0.12);
  BOOST_TEST(found.share < 0.20);
  BOOST_TEST(found.seconds == 0);
  BOOST_TEST(share_between_runs({}).share == 0);
  BOOST_TEST(share_between_runs({{around(1)}}).share == 0);
}

// ---- verdicts ---------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_tie_is_what_the_data_do_not_tell_apart) {
  const auto over = [](double a, double b, double between_runs) {
    return ratio(summarize(around(a, between_runs)).estimate,
                 summarize(around(b, between_runs)).estimate);
  };
  BOOST_TEST(tied(over(1, 1, 0)));
  BOOST_TEST(!tied(over(1.02, 1, 0)));
  BOOST_TEST(above(over(1.02, 1, 0), 1));
  BOOST_TEST(below(over(1, 1.02, 0), 1));
  // Two runs of 1 % each cannot tell a difference of 2 % (1.96 times the root
  // of 2), but they can tell 3 %.
  BOOST_TEST(tied(over(1.02, 1, 0.01)));
  BOOST_TEST(!tied(over(1.03, 1, 0.01)));
}

BOOST_AUTO_TEST_CASE(equality_is_shown_and_not_assumed) {
  const Ratio sharp{1.01, {1.005, 1.015}}, wide{1.01, {0.9, 1.13}},
      few{1.0, {}};
  BOOST_TEST(equal_within(sharp, 0.02));
  BOOST_TEST(!equal_within(sharp, 0.01));
  BOOST_TEST(tied(wide));
  // neither a difference nor equality is shown
  BOOST_TEST(!equal_within(wide, 0.02));
  BOOST_TEST(!equal_within(few, 0.5));
  const Ratio ahead{0.5, {0.4, 0.6}};
  BOOST_TEST(at_most_within(ahead, 0.02));
  BOOST_TEST(!equal_within(ahead, 0.02));
  BOOST_TEST(!at_most_within(wide, 0.02));
}

BOOST_AUTO_TEST_CASE(a_clock_that_ticks_slowly_leaves_much_open) {
  const Summary short_one = summarize({std::vector<double>(48, 1e-6)});
  const Summary long_one = summarize({std::vector<double>(48, 1e-3)});
  BOOST_TEST(relative_half_width(short_one) > 0.1);
  BOOST_TEST(relative_half_width(long_one) < 0.001);
  BOOST_TEST(!too_wide(long_one));
}

BOOST_AUTO_TEST_CASE(a_wide_interval_is_told_from_a_missing_one) {
  std::vector<double> seconds;
  for (int i = 0; i < 48; ++i)
    seconds.push_back(i / 6 % 2 == 0 ? 1 : 9);
  BOOST_TEST(too_wide(summarize({seconds, std::vector<int>(8, 6)})));
  BOOST_TEST(!too_wide(summarize({{1, 9}})));
}

BOOST_AUTO_TEST_SUITE_END()
