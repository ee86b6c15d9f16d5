// Joules of one execution: runs of seconds, each from the same temperature,
// until they are known. Or, where all takes too long, one run of as many
// seconds as were asked for, from whatever temperature there is: without an
// interval.
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

// Roughly what one configuration takes, for planning.
constexpr double energy_seconds_expected = 30;

// One place's meter, what the place uses at rest, and the temperature
// at which its runs begin.
class EnergyGauge {
 public:
  // Called once: nothing else may be at work there. Rests a while; when stop
  // says yes meanwhile, there is nothing to measure with. others: who else is
  // at work there, whose joules some meters count, too; none: nobody. only_s:
  // of the one run of each configuration.
  EnergyGauge(Executor& place, const Detail& others, const Stop& stop,
              std::optional<double> only_s = {});

  // Why there is nothing to measure with; none when there is.
  const Detail& absent() const { return absent_; }
  std::string source() const { return meter_->source(); }
  double idle_w() const { return idle_w_; }

  struct Run {
    double joules = 0, seconds = 0;  // of one execution
    Repeated left;                   // for its outputs to be judged
  };
  // execution_s: what one takes, as it was timed. repeat: of the place,
  // for this configuration; called once or twice. Throws NoEnergy when the
  // device was not at work all the time, does not come to its temperature, or
  // when its two sensors contradict each other; and what repeat throws.
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

// The runs of one configuration, and the rule when there are enough.
class EnergyRuns {
 public:
  // only_s: there is but one, which took so long.
  explicit EnergyRuns(std::optional<double> only_s = {})
      : at_most_(only_s ? 1 : runs_at_most), wants_interval_(!only_s) {}
  void add(double joules, double seconds);  // of one execution
  // Known to 3 %, or tried often enough.
  bool finished() const { return finished_; }
  // As far as it goes; absent when the interval is still too wide.
  Energy energy() const;

 private:
  std::size_t at_most_;
  bool wants_interval_;
  std::vector<double> joules_, seconds_;
  double precision_ = 0;
  bool finished_ = false;
};

}  // namespace parlab
