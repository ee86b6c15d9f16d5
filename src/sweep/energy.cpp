#include "sweep/energy.hpp"

#include <algorithm>
#include <cmath>

namespace parlab {
namespace {

// Energy counters move some ten times a second; in 5 s the error is below 3 %.
constexpr double run_s = 5;
// The driver's power sensor shows a mean over about a second, so it is not
// compared before that.
constexpr double power_settles_s = 1.5;
constexpr double power_every_s = 0.1;
// Either sensor is accurate to some 5 %.
constexpr double sensors_agree = 0.10;
// If an execution takes more than this many times as long as when it was timed,
// the device was at rest in between or ran at another clock.
constexpr double as_timed = 1.25;
// Work between two readings, so that reading the sensors costs nothing and a
// GPU's launch queue does not overflow. In a short run the meter is read more
// often.
constexpr double bunch_s = 0.02, bunch_share = 0.01, bunch_at_most = 1000;
// Seconds of rest before the first reading, because the device is still warm
// from its last work.
constexpr double calm_s = 2;
constexpr double celsius_off = 3;
constexpr double temperature_at_most_s = 120;

constexpr double wanted_precision = 0.03;
constexpr std::size_t runs_at_least = 4;  // with fewer there is no interval

std::int64_t bunch_of(double execution_s, double whole_s = run_s) {
  return static_cast<std::int64_t>(std::clamp(
      std::min(bunch_s, bunch_share * whole_s) / std::max(execution_s, 1e-9),
      1.0, bunch_at_most));
}

void rest(EnergyMeter& meter, double seconds, const Stop& stop) {
  constexpr double ask_every_s = 0.25;
  for (double left = seconds; left > 0 && !stop(); left -= ask_every_s)
    meter.rest(std::min(left, ask_every_s));
}

// The readings of both sensors from the start to the end of one run. A counter
// that moves in steps is exact right after a step, so the power is computed
// between its first step and its last.
class Window {
 public:
  Window(EnergyMeter& meter, double length_s)
      : meter_(meter), length_s_(length_s) {}

  void begin() {
    start_s_ = next_s_ = meter_.now_s();
    last_ = {start_s_, start_j_ = meter_.joules()};
    moves_ = 0;
  }
  bool long_enough() {
    const double now_s = look();
    if (now_s >= next_s_ && now_s - start_s_ >= power_settles_s) {
      if (watts_.empty()) {
        settled_s_ = now_s;
        settled_j_ = last_.joules;
      }
      if (const auto watts = meter_.watts()) watts_.push_back(*watts);
      next_s_ = now_s + power_every_s;
    }
    return now_s - start_s_ >= length_s_;
  }
  void end() { end_s_ = look(); }

  double seconds() const { return end_s_ - start_s_; }
  double joules() const {
    if (!(last_.joules > start_j_))
      throw NoEnergy(Cause::counter_stood_still,
                     quantity(seconds(), Unit::second));
    if (moves_ < 2) return last_.joules - start_j_;
    return (last_.joules - first_.joules) / (last_.now_s - first_.now_s) *
           seconds();
  }
  void check_sensors() const {
    if (watts_.empty()) return;  // there is only one sensor
    double sum = 0;
    for (const double watts : watts_)
      sum += watts;
    const double by_power = sum / static_cast<double>(watts_.size());
    const double by_energy =
        (last_.joules - settled_j_) / (end_s_ - settled_s_);
    if (std::abs(by_power - by_energy) > sensors_agree * by_energy) {
      throw NoEnergy(Cause::sensors_disagree, quantity(by_energy, Unit::watt),
                     quantity(by_power, Unit::watt),
                     quantity(sensors_agree, Unit::fraction));
    }
  }

 private:
  struct Reading {
    double now_s = 0, joules = 0;
  };
  double look() {
    const Reading now{meter_.now_s(), meter_.joules()};
    if (now.joules != last_.joules) {
      last_ = now;
      if (moves_++ == 0) first_ = now;
    }
    return now.now_s;
  }

  EnergyMeter& meter_;
  double length_s_;
  double start_s_ = 0, start_j_ = 0, settled_s_ = 0, settled_j_ = 0, end_s_ = 0,
         next_s_ = 0;
  Reading first_, last_;  // right after the counter moved
  int moves_ = 0;
  std::vector<double> watts_;
};

}  // namespace

EnergyGauge::EnergyGauge(Executor& place, const Detail& others,
                         const Stop& stop, std::optional<double> only_s)
    : only_s_(only_s) {
  const double length_s = only_s.value_or(run_s);
  try {
    meter_ = place.energy_meter();
    if (meter_->counts_other_programs() && others) {
      throw NoEnergy({.cause = Cause::counts_other_programs,
                      .arguments = {meter_->source()},
                      .further = {others}});
    }
    rest(*meter_, std::min(calm_s, length_s), stop);
    Window window(*meter_, length_s);
    window.begin();
    while (!window.long_enough() && !stop())
      meter_->rest(length_s / 40);
    window.end();
    if (stop()) throw NoEnergy(Cause::interrupted);
    idle_w_ = window.joules() / window.seconds();
    start_celsius_ = meter_->celsius();
  } catch (const NoEnergy& error) {
    absent_ = error.detail;
  }
}

// A warm device leaks more current than a cool one. Without a thermometer all
// devices rest for the same time.
void EnergyGauge::begin_at_start_temperature(double execution_s,
                                             const Repeat& repeat,
                                             const Stop& stop) {
  if (!start_celsius_) return rest(*meter_, calm_s, stop);
  const double start_s = meter_->now_s();
  const auto above = [&] {
    return meter_->celsius().value_or(0) - *start_celsius_;
  };
  const auto out_of_time = [&] {
    return meter_->now_s() - start_s > temperature_at_most_s;
  };
  while (above() > celsius_off && !out_of_time() && !stop())
    meter_->rest(0.5);
  if (above() < -celsius_off && !stop()) {
    repeat({bunch_of(execution_s), [] {},
            [&] { return above() >= -celsius_off || out_of_time() || stop(); },
            [] {}});
  }
  if (std::abs(above()) > celsius_off && !stop()) {
    throw NoEnergy(Cause::temperature_not_reached,
                   quantity(*start_celsius_, Unit::none),
                   quantity(temperature_at_most_s, Unit::second));
  }
}

EnergyGauge::Run EnergyGauge::run(double execution_s, const Repeat& repeat,
                                  const Stop& stop) {
  if (!only_s_) begin_at_start_temperature(execution_s, repeat, stop);
  const double length_s = only_s_.value_or(run_s);
  Window window(*meter_, length_s);
  Run run;
  run.left = repeat({bunch_of(execution_s, length_s), [&] { window.begin(); },
                     [&] { return window.long_enough() || stop(); },
                     [&] { window.end(); }});
  if (stop()) return run;
  const auto executions = static_cast<double>(run.left.executions);
  run.seconds = window.seconds() / executions;
  run.joules = window.joules() / executions;
  if (run.seconds > as_timed * execution_s) {
    throw NoEnergy(Cause::slower_when_repeated,
                   quantity(run.seconds, Unit::second),
                   quantity(execution_s, Unit::second));
  }
  window.check_sensors();
  return run;
}

void EnergyRuns::add(double joules, double seconds) {
  joules_.push_back(joules);
  seconds_.push_back(seconds);
  precision_ = energy().summary().precision;
  const bool known =
      joules_.size() >= runs_at_least && precision_ <= wanted_precision;
  finished_ = known || joules_.size() >= at_most_;
}

Energy EnergyRuns::energy() const {
  Energy energy;
  energy.runs_j = joules_;
  energy.seconds = median(seconds_);
  if (wants_interval_ && finished_ && precision_ > wanted_precision) {
    energy.absent = because(Cause::energy_too_uncertain, std::ssize(joules_),
                            quantity(precision_, Unit::fraction),
                            quantity(wanted_precision, Unit::fraction));
  }
  return energy;
}

}  // namespace parlab
