// When there are enough samples, with simulated batches and a simulated clock.
#include "sweep/measurement.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <numeric>

using namespace parlab;

namespace {

Plan plan_with(double time_limit_s, double precision = 0.01) {
  Plan plan;
  plan.time_limit_s = time_limit_s;
  plan.precision = precision;
  return plan;
}

// A machine on which execution i takes time(i), and a batch takes `overhead_s`
// more. Between batches no time passes, unless the measurement wants to wait.
class Machine {
 public:
  Machine(std::function<double(int)> time, double overhead_s = 0)
      : time_(std::move(time)), overhead_s_(overhead_s) {}

  void run(Measurement& measurement, int batches_at_most = 100'000) {
    while (!measurement.finished() && batches_ < batches_at_most) {
      now_s_ = std::max(now_s_, measurement.next_start_s());
      const double start_s = now_s_;
      Batch batch;
      const int count = measurement.next_batch();
      const double slower = clock_hz(batches_) < 1e9 ? 5 : 1;
      for (int i = 0; i < count; ++i)
        batch.seconds.push_back(slower * time_(executions_++));
      batch.highest_clock_hz = 2e9;
      batch.clock_hz = clock_hz(batches_);
      now_s_ += std::accumulate(batch.seconds.begin(), batch.seconds.end(),
                                overhead_s_ + count * beside_s);
      measurement.add(batch, start_s, now_s_);
      ++batches_;
    }
  }

  std::function<double(int)> clock_hz = [](int) { return 2e9; };
  double beside_s = 0;  // per execution
  double elapsed_s() const { return now_s_ - start_s_; }
  int batches() const { return batches_; }
  int executions() const { return executions_; }

 private:
  std::function<double(int)> time_;
  double overhead_s_;
  static constexpr double start_s_ = 1000;  // clocks do not begin at 0
  double now_s_ = start_s_;
  int executions_ = 0, batches_ = 0;
};

double steady(int) {
  return 1e-5;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(measurement)

// Identical samples would be enough at once, but a run has to cover some time.
BOOST_AUTO_TEST_CASE(a_quick_point_covers_enough_time_in_enough_batches) {
  Measurement measurement(plan_with(1), 1e-5);
  Machine machine(steady);
  machine.run(measurement);
  BOOST_TEST(measurement.converged());
  BOOST_TEST(machine.batches() == 8);
  BOOST_TEST(measurement.seconds().size() == 8u * 12);
  BOOST_TEST(measurement.batches() == (std::vector<int>(8, 12)),
             boost::test_tools::per_element());
  BOOST_TEST(machine.elapsed_s() >= 0.05);
  BOOST_TEST(machine.elapsed_s() < 0.06);
}

BOOST_AUTO_TEST_CASE(batches_are_short_and_never_empty) {
  BOOST_TEST(Measurement(plan_with(1), 1e-6).next_batch() == 12);
  BOOST_TEST(Measurement(plan_with(1), 0.004).next_batch() == 5);
  BOOST_TEST(Measurement(plan_with(1), 0.1).next_batch() == 1);
  BOOST_TEST(Measurement(plan_with(1), 0).next_batch() == 12);
}

BOOST_AUTO_TEST_CASE(time_beside_executions_keeps_to_the_limit_as_well) {
  for (const double beside_s : {0.005, 0.02, 0.1}) {
    Measurement measurement(plan_with(0.25, 1e-9), 1e-3);
    Machine machine(steady);
    machine.beside_s = beside_s;
    machine.run(measurement);
    BOOST_TEST(machine.batches() >= 6);
    // the first batch does not know this yet
    BOOST_TEST(machine.elapsed_s() <= 0.3 + 17 * beside_s, beside_s);
  }
}

// Scattered times are measured until they are as precise as requested.
BOOST_AUTO_TEST_CASE(what_scatters_takes_longer) {
  const auto scattering = [](int i) {
    return 1e-3 * (1 + 0.05 * std::sin(i * i));
  };
  const auto samples = [&](double precision) {
    Measurement measurement(plan_with(100, precision), 1e-3);
    Machine machine(scattering);
    machine.run(measurement);
    BOOST_TEST(measurement.converged());
    const Summary summary =
        summarize({measurement.seconds(), measurement.batches()});
    BOOST_TEST(summary.precision <= precision);
    return measurement.seconds().size();
  };
  const auto coarse = samples(0.01), fine = samples(0.002);
  BOOST_TEST(coarse >= 96u);
  BOOST_TEST(fine > coarse);
}

// The time limit ends a point that does not settle, with an interval and
// without `converged`.
BOOST_AUTO_TEST_CASE(the_time_limit_ends_what_does_not_settle) {
  const auto restless = [](int i) {
    return 1e-3 * (1.5 + std::sin((i / 12) * (i / 12)));
  };
  Measurement measurement(plan_with(0.5), 1e-3);
  Machine machine(restless);
  machine.run(measurement);
  BOOST_TEST(!measurement.converged());
  BOOST_TEST(machine.elapsed_s() > 0.49);
  BOOST_TEST(machine.elapsed_s() < 0.6);
}

// A short point would have taken a hundred thousand samples by then.
BOOST_AUTO_TEST_CASE(a_thousand_batches_end_what_does_not_settle) {
  const auto restless = [](int i) {
    return 1e-6 * (1.5 + std::sin((i / 12) * (i / 12)));
  };
  Measurement measurement(plan_with(100), 1e-6);
  Machine machine(restless, 1e-6);
  machine.run(measurement);
  BOOST_TEST(machine.batches() == 1000);
  BOOST_TEST(measurement.seconds().size() == 12'000u);
  BOOST_TEST(!measurement.converged());
  BOOST_TEST(measurement.exhausted());
}

// Not one too many, although not every batch is examined when it arrives.
BOOST_AUTO_TEST_CASE(thousands_of_samples_are_as_many_as_were_asked_for) {
  Plan plan = plan_with(1);
  plan.iterations = 20'000;
  Measurement measurement(plan, 1e-6);
  Machine machine([](int i) { return 1e-6 * (1 + i % 5); });
  machine.run(measurement);
  BOOST_TEST(measurement.seconds().size() == 20'000u);
  BOOST_TEST(std::accumulate(measurement.batches().begin(),
                             measurement.batches().end(), 0) == 20'000);
  BOOST_TEST(machine.executions() == 20'000);
}

// One execution takes as long as the limit. Six are measured, because fewer
// have no interval.
BOOST_AUTO_TEST_CASE(a_long_point_has_an_interval_all_the_same) {
  Measurement measurement(plan_with(1), 1);
  Machine machine([](int i) { return 1 + 0.1 * (i % 3); });
  machine.run(measurement);
  BOOST_TEST(measurement.seconds().size() == 6u);
  BOOST_TEST(std::isfinite(
      summarize({measurement.seconds(), measurement.batches()}).precision));
}

BOOST_AUTO_TEST_CASE(patience_ends_after_ten_limits) {
  Measurement measurement(plan_with(1), 4);
  Machine machine([](int) { return 4.0; });
  machine.run(measurement);
  BOOST_TEST(measurement.seconds().size() == 3u);
  BOOST_TEST(!measurement.converged());
}

BOOST_AUTO_TEST_CASE(as_many_samples_as_were_asked_for_and_no_waiting) {
  Plan plan = plan_with(1);
  plan.iterations = 30;
  Measurement measurement(plan, 1e-5);
  Machine machine(steady);
  machine.run(measurement);
  BOOST_TEST(measurement.seconds().size() == 30u);
  BOOST_TEST(measurement.batches() == (std::vector<int>(10, 3)),
             boost::test_tools::per_element());
  BOOST_TEST(machine.elapsed_s() < 0.001);
}

// Batches do not count while a device wakes up, or while something slows it
// down for a while.
BOOST_AUTO_TEST_CASE(batches_far_below_the_settled_clock_are_discarded) {
  Measurement measurement(plan_with(1), 1e-3);
  Machine machine([](int) { return 1e-3; });
  machine.clock_hz = [](int batch) {
    return batch < 3 || batch == 5 ? 0.4e9 : 2e9;
  };
  machine.run(measurement);
  BOOST_TEST(measurement.discarded() >= 4 * 4);
  BOOST_TEST(measurement.converged());
  for (const double second : measurement.seconds())
    BOOST_TEST(second == 1e-3);
}

// Under a power cap the clock of a heavy kernel settles somewhere below the
// highest and varies a little: its batches count.
BOOST_AUTO_TEST_CASE(a_heavy_kernel_settles_below_the_highest_clock) {
  for (const double settled : {1.48e9, 1.5e9, 1.52e9, 1.1e9}) {
    Measurement measurement(plan_with(1), 1e-3);
    Machine machine([](int) { return 1e-3; });
    machine.clock_hz = [=](int batch) {
      return batch < 2 ? 2e9 : settled + 4e7 * (batch % 2);
    };
    machine.run(measurement);
    BOOST_TEST(measurement.converged());
    BOOST_TEST(measurement.discarded() == 0);
    // It continues while others need more samples.
    BOOST_TEST(measurement.capped());
    BOOST_TEST(!measurement.exhausted());
  }
}

BOOST_AUTO_TEST_CASE(a_clock_that_settles_near_the_highest_is_not_capped) {
  Measurement measurement(plan_with(1), 1e-3);
  Machine machine([](int) { return 1e-3; });
  machine.clock_hz = [](int batch) { return batch == 0 ? 1e9 : 1.98e9; };
  machine.run(measurement);
  BOOST_TEST(!measurement.capped());
}

// If a single sample is requested, it is not taken while the device still
// sleeps.
BOOST_AUTO_TEST_CASE(a_single_sample_waits_for_the_clock) {
  Plan plan = plan_with(1);
  plan.iterations = 1;
  Measurement measurement(plan, 1e-3);
  Machine machine([](int) { return 1e-3; });
  machine.clock_hz = [](int batch) { return batch == 0 ? 0.4e9 : 2e9; };
  machine.run(measurement);
  BOOST_TEST(measurement.seconds() == (std::vector<double>{1e-3}),
             boost::test_tools::per_element());
  BOOST_TEST(measurement.exhausted());
  BOOST_TEST(measurement.discarded() == 1);
}

BOOST_AUTO_TEST_CASE(a_device_that_never_wakes_up_is_measured_as_it_is) {
  Plan plan = plan_with(1);
  plan.iterations = 1;
  Measurement measurement(plan, 1e-3);
  Machine machine([](int) { return 1e-3; });
  machine.clock_hz = [](int) { return 0.4e9; };
  machine.run(measurement);
  BOOST_TEST(measurement.finished());
  BOOST_TEST(measurement.seconds().size() == 1u);
  BOOST_TEST(machine.batches() == 3);
}

BOOST_AUTO_TEST_SUITE_END()
