#include "sweep/energy.hpp"

#include <algorithm>
#include <cmath>

namespace parlab {
namespace {

// Counters of energy move some ten times a second: of 5 s
// that is less than 3 %.
constexpr double run_s = 5;
// The driver's sensor of power shows a mean over about a second: before
// that it is not compared.
constexpr double power_settles_s = 1.5;
constexpr double power_every_s = 0.1;
// Either is good to some 5 %.
constexpr double sensors_agree = 0.10;
// An execution that takes so much longer than when it was timed left the
// device at rest in between, or ran at another clock.
constexpr double as_timed = 1.25;
// Between questions, so that reading sensors costs nothing, and a GPU's
// queue of launches does not overflow.
constexpr double bunch_s = 0.02, bunch_at_most = 1000;
// The device is still warm from its last work.
constexpr double calm_s = 2;
constexpr double celsius_off = 3;
constexpr double temperature_at_most_s = 120;

constexpr double wanted_precision = 0.03;
constexpr std::size_t runs_at_least = 4;  // with fewer there is no interval
constexpr std::size_t runs_at_most = 12;

[[noreturn]] void give_up(Cause cause, std::vector<Argument> arguments) {
  throw NoEnergy({.cause = cause, .arguments = std::move(arguments)});
}

std::int64_t bunch_of(double execution_s) {
  return static_cast<std::int64_t>(
      std::clamp(bunch_s / std::max(execution_s, 1e-9), 1.0, bunch_at_most));
}

void rest(EnergyMeter& meter, double seconds, const Stop& stop) {
  constexpr double ask_every_s = 0.25;
  for (double left = seconds; left > 0 && !stop(); left -= ask_every_s)
    meter.rest(std::min(left, ask_every_s));
}

// The readings of both sensors from the start to the end of one run.
class Window {
 public:
  explicit Window(EnergyMeter& meter) : meter_(meter) {}

  void begin() {
    start_s_ = next_s_ = meter_.now_s();
    start_j_ = meter_.joules();
  }
  bool long_enough() {
    const double now_s = meter_.now_s();
    if (now_s >= next_s_ && now_s - start_s_ >= power_settles_s) {
      if (watts_.empty()) {
        settled_s_ = now_s;
        settled_j_ = meter_.joules();
      }
      if (const auto watts = meter_.watts()) watts_.push_back(*watts);
      next_s_ = now_s + power_every_s;
    }
    return now_s - start_s_ >= run_s;
  }
  void end() {
    end_s_ = meter_.now_s();
    end_j_ = meter_.joules();
  }

  double seconds() const { return end_s_ - start_s_; }
  double joules() const {
    const double joules = end_j_ - start_j_;
    if (!(joules > 0))
      give_up(Cause::counter_stood_still, {quantity(seconds(), Unit::second)});
    return joules;
  }
  void check_sensors() const {
    if (watts_.empty()) return;  // there is only one
    double sum = 0;
    for (const double watts : watts_)
      sum += watts;
    const double by_power = sum / static_cast<double>(watts_.size());
    const double by_energy = (end_j_ - settled_j_) / (end_s_ - settled_s_);
    if (std::abs(by_power - by_energy) > sensors_agree * by_energy) {
      give_up(Cause::sensors_disagree,
              {quantity(by_energy, Unit::watt), quantity(by_power, Unit::watt),
               quantity(sensors_agree, Unit::fraction)});
    }
  }

 private:
  EnergyMeter& meter_;
  double start_s_ = 0, start_j_ = 0, settled_s_ = 0, settled_j_ = 0, end_s_ = 0,
         end_j_ = 0;
  double next_s_ = 0;
  std::vector<double> watts_;
};

}  // namespace

EnergyGauge::EnergyGauge(Executor& place, const Detail& others,
                         const Stop& stop) {
  try {
    meter_ = place.energy_meter();
    if (meter_->counts_other_programs() && others) {
      throw NoEnergy({.cause = Cause::counts_other_programs,
                      .arguments = {meter_->source()},
                      .further = {others}});
    }
    rest(*meter_, calm_s, stop);
    Window window(*meter_);
    window.begin();
    rest(*meter_, run_s, stop);
    window.end();
    if (stop()) give_up(Cause::interrupted, {});
    idle_w_ = window.joules() / window.seconds();
    start_celsius_ = meter_->celsius();
  } catch (const NoEnergy& error) {
    absent_ = error.detail;
  }
}

// A warm device leaks more than a cool one. Without a thermometer
// all rest equally long.
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
    give_up(Cause::temperature_not_reached,
            {quantity(*start_celsius_, Unit::none),
             quantity(temperature_at_most_s, Unit::second)});
  }
}

EnergyGauge::Run EnergyGauge::run(double execution_s, const Repeat& repeat,
                                  const Stop& stop) {
  begin_at_start_temperature(execution_s, repeat, stop);
  Window window(*meter_);
  Run run;
  run.left = repeat({bunch_of(execution_s), [&] { window.begin(); },
                     [&] { return window.long_enough() || stop(); },
                     [&] { window.end(); }});
  if (stop()) return run;
  const auto executions = static_cast<double>(run.left.executions);
  run.seconds = window.seconds() / executions;
  run.joules = window.joules() / executions;
  if (run.seconds > as_timed * execution_s) {
    give_up(Cause::slower_when_repeated, {quantity(run.seconds, Unit::second),
                                          quantity(execution_s, Unit::second)});
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
  finished_ = known || joules_.size() >= runs_at_most;
}

Energy EnergyRuns::energy() const {
  Energy energy;
  energy.runs_j = joules_;
  energy.seconds = median(seconds_);
  if (finished_ && precision_ > wanted_precision) {
    energy.absent = {
        .cause = Cause::energy_too_uncertain,
        .arguments = {std::ssize(joules_), quantity(precision_, Unit::fraction),
                      quantity(wanted_precision, Unit::fraction)}};
  }
  return energy;
}

}  // namespace parlab
