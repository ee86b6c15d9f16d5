// Hardware counters of what a sweep has measured.
#pragma once

#include <string>
#include <vector>

#include "sweep/observer.hpp"

namespace parlab {

using Points = std::vector<std::vector<Record>>;

// Keeps the points of a sweep until their counters are known;
// passes everything else on.
class KeptPoints final : public Observer {
 public:
  explicit KeptPoints(Observer& to) : to_(to) {}
  void plan(std::size_t measurements) override { to_.plan(measurements); }
  void working_on(const std::string& what, std::size_t done) override {
    to_.working_on(what, done);
  }
  void run(const Run& run) override { to_.run(run); }
  void note(const std::string& line) override { to_.note(line); }
  void point(const std::vector<Record>& records) override {
    points.push_back(records);
  }

  Points points;

 private:
  Observer& to_;
};

// Profiles one execution of each configuration that passed on a GPU and has no
// counters yet, one run of ncu per point, and appends the records with their
// counters to results (empty: nowhere). Where nothing can be counted a note
// says why, of a point or of all, which stay as they are. Throws what
// Store does.
void add_counters(Points& points,
                  const std::string& results,
                  Observer& observer);
// The same where there is a GPU; throws NoCountersHere.
void count_each_point(Points& points,
                      const std::string& results,
                      Observer& observer);

}  // namespace parlab
