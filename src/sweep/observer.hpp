// Observers of a sweep: output formats and the progress line. The sweep itself
// prints nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "facts/cause.hpp"
#include "record/record.hpp"

namespace parlab {

struct Observer {
  virtual ~Observer() = default;
  // Facts of a run, called before the first point with records of it.
  virtual void run(const Run& /*run*/) {}
  // Called before the first measurement with the number of measurements.
  virtual void plan(std::size_t /*measurements*/) {}
  // what: "cold dmv/cuda/naive float 4096x4096 block=256". done: number of
  // completed measurements, including fractions of those under way.
  virtual void working_on(const std::string& /*what*/, double /*done*/) {}
  // All records of one (size, dtype, cache) in ladder order, called once they
  // are complete.
  virtual void point(const std::vector<Record>& records) = 0;
  // Something the user should know.
  virtual void note(const Detail& detail) = 0;
};

// Passes everything on to another observer.
struct PassingObserver : Observer {
  explicit PassingObserver(Observer& observer) : to(observer) {}
  void run(const Run& run) override { to.run(run); }
  void plan(std::size_t measurements) override { to.plan(measurements); }
  void working_on(const std::string& what, double done) override {
    to.working_on(what, done);
  }
  void point(const std::vector<Record>& records) override { to.point(records); }
  void note(const Detail& detail) override { to.note(detail); }

  Observer& to;
};

}  // namespace parlab
