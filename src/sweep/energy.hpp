// Measures joules per execution. Runs of several seconds, each from the same
// temperature, are repeated until the joules are known. Where that takes too
// long, there is one run of the given seconds, from any temperature and without
// an interval.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/energy_meter.hpp"
#include "places/executor.hpp"
#include "record/record.hpp"
#include "sweep/interrupt.hpp"

namespace parlab {

// Rough time for one configuration, for planning.
constexpr double energy_seconds_expected = 30;

// The meter of one place, the place's idle power, and the temperature at which
// its runs begin.
class EnergyGauge {
 public:
  // Called once, while nothing else uses the place, because it measures the
  // place at rest. If stop says yes in the meantime, nothing can be measured.
  // others: other programs there, whose joules some meters include; empty if
  // there are none. only_s: length of the only run of each configuration.
  EnergyGauge(Executor& place, const Detail& others, const Stop& stop,
              std::optional<double> only_s = {});

  // Why nothing can be measured; empty if it can.
  const Detail& absent() const { return absent_; }
  std::string source() const { return meter_->source(); }
  double idle_w() const { return idle_w_; }

  struct Run {
    double joules = 0, seconds = 0;  // per execution
    Repeated left;                   // its outputs are checked
  };
  // execution_s: time of one execution, as measured before. repeat: runs this
  // configuration at the place; called once or twice. Throws NoEnergy when the
  // device was idle for part of the time, does not reach its start temperature,
  // or has two sensors that contradict each other. Passes on what repeat
  // throws.
  using Repeat = std::function<Repeated(const Repetition&)>;
  Run run(double execution_s, const Repeat& repeat, const Stop& stop);

 private:
  void begin_at_start_temperature(double execution_s, const Repeat& repeat,
                                  const Stop& stop);

  std::unique_ptr<EnergyMeter> meter_;
  std::optional<double> only_s_;
  std::optional<double> start_celsius_;
  double idle_w_ = 0;
  Detail absent_;
};

constexpr std::size_t runs_at_most = 12;

// The runs of one configuration, and the rule that decides when there are
// enough.
class EnergyRuns {
 public:
  // only_s: length of the only run.
  explicit EnergyRuns(std::optional<double> only_s = {})
      : at_most_(only_s ? 1 : runs_at_most), wants_interval_(!only_s) {}
  void add(double joules, double seconds);  // per execution
  // Known to 3 %, or tried often enough.
  bool finished() const { return finished_; }
  // The result so far; absent when the interval is still too wide.
  Energy energy() const;

 private:
  std::size_t at_most_;
  bool wants_interval_;
  std::vector<double> joules_, seconds_;
  double precision_ = 0;
  bool finished_ = false;
};

}  // namespace parlab
