// Times of submissions, held against the time of the reference.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grade/contestant.hpp"

namespace parlab::grade {

class Stopwatch {
 public:
  Stopwatch(Class& all, const std::string& command)
      : all_(all), command_(command) {}

  // From now on submissions have times, held against these ceilings and
  // against the reference's, which is timed here. If the machine is too busy
  // for that, nothing is timed. Throws PointError when the reference does not
  // pass.
  void time_reference(const Ceilings& ceilings);
  bool is_running() const { return processes_ > 0; }

  // Of one that passed, by as many processes as it takes: the first is there,
  // others are started. Its time, or why it has none; or it passes no more.
  void time(Grade& grade,
            Contestant& first,
            const std::function<std::unique_ptr<Contestant>()>& start);

  // Ratios to the reference, ranks and points of the whole class.
  void compare();

 private:
  std::optional<Record> time_process(Grade& grade, Contestant& contestant);
  Uncertain over_all_processes(const Uncertain& estimate, double share) const;
  void raise_ceilings(const Variant& variant);

  Class& all_;
  const std::string& command_;
  // that each submission is timed in; 0: there are no times
  std::size_t processes_ = 0;
  Uncertain spread_{1, 0, 1};  // of one process over another
  Uncertain reference_;
  Ceilings ceilings_;
};

}  // namespace parlab::grade
