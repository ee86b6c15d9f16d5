#include <algorithm>
#include <chrono>

#include "machine/topology.hpp"
#include "record/store.hpp"
#include "sweep/interrupt.hpp"
#include "sweep/sweep.hpp"
#include "tune/search.hpp"

namespace parlab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double quick_s = 0.1;
// share of the budget; the rest is for the finalists
constexpr double for_search = 0.7;

// Keeps the records of a sweep; passes on notes and progress.
struct Collected final : PassingObserver {
  using PassingObserver::PassingObserver;
  // The first run is the sweep's own; later ones belong to records that it
  // found.
  void run(const Run& run) override {
    if (own_run.empty()) own_run = run.id;
  }
  void working_on(const std::string& what, double done) override {
    to.working_on("tuning: " + what, done);
  }
  void point(const std::vector<Record>& complete) override {
    records.insert(records.end(), complete.begin(), complete.end());
  }
  // Each of many sweeps would say what it found.
  void note(const Detail& detail) override {
    if (detail.cause != Cause::recorded_before) to.note(detail);
  }
  bool measured_anything() const {
    return std::ranges::any_of(
        records, [&](const Record& one) { return one.run == own_run; });
  }

  std::string own_run;
  std::vector<Record> records;
};

class Tuner {
 public:
  Tuner(Plan plan, const Subject& subject, Observer& observer,
        Supervisor& supervisor)
      : plan_(std::move(plan)),
        defaults_(defaults_of(*subject.variant, physical_cores())),
        observer_(observer),
        supervisor_(supervisor) {
    plan_.sizes = {subject.size};
    plan_.dtypes = {subject.dtype};
    plan_.variants = {subject.variant};
  }

  Tuning run(double budget_s) {
    const auto begin = Clock::now();
    Search search;
    search.axes =
        axes_of(*plan_.variants.front(), plan_.tunables, physical_cores());
    search.start = defaults_;
    search.exhaustive = count_of(search.axes) * plan_.time_limit_s <= budget_s;
    search.measure = [&](const auto& tunables, Effort effort) {
      return measure(tunables, effort);
    };
    search.stop = [&] {
      const std::chrono::duration<double> spent = Clock::now() - begin;
      return interrupted() || spent.count() > for_search * budget_s;
    };
    found_.tried = run_search(search);
    found_.choice = choose_best(found_.records, defaults_);
    if (found_.choice && searched_) confirm();
    return std::move(found_);
  }

 private:
  bool interrupted() const { return found_.status == exit_interrupted; }

  // The fastest of many configurations was partly lucky. So it is measured once
  // more, and so are the defaults that it is compared with; then the best is
  // chosen again.
  void confirm() {
    std::vector<TunableValues> both{found_.choice->best.tunables};
    if (defaults_ != both.front()) both.push_back(defaults_);
    Plan plan = plan_;
    plan.force = true;
    sweep(both, plan);
    found_.choice = choose_best(found_.records, defaults_);
  }

  std::vector<Record> measure(std::vector<TunableValues> tunables,
                              Effort effort) {
    Plan plan = plan_;
    if (effort == Effort::quick)
      plan.time_limit_s = std::min(quick_s, plan.time_limit_s);
    if (effort == Effort::full) {
      // Quick measurements that converged are good enough; the others are
      // measured again.
      std::erase_if(tunables, [&](const TunableValues& one) {
        return std::ranges::any_of(found_.records, [&](const Record& record) {
          return record.tunables == one &&
                 (record.converged || !record.timed());
        });
      });
      plan.force |= !found_.records.empty();
    }
    return sweep(tunables, plan);
  }

  std::vector<Record> sweep(const std::vector<TunableValues>& tunables,
                            Plan plan) {
    if (interrupted() || tunables.empty()) return {};
    plan.choose = [&](const Variant&, const Size&, Dtype) { return tunables; };
    Collected collected(observer_);
    const int status = run_sweep(plan, collected, supervisor_);
    found_.status = std::max(found_.status, status);
    searched_ |= collected.measured_anything();
    auto& records = found_.records;
    records.insert(records.end(), collected.records.begin(),
                   collected.records.end());
    records = latest(std::move(records));
    return collected.records;
  }

  Plan plan_;
  const TunableValues defaults_;
  Observer& observer_;
  Supervisor& supervisor_;
  Tuning found_;
  bool searched_ = false;  // some of it was measured now, not by an earlier run
};

}  // namespace

Tuning find_best(const Plan& plan, const Subject& subject, double budget_s,
                 Observer& observer, Supervisor& supervisor) {
  return Tuner(plan, subject, observer, supervisor).run(budget_s);
}

}  // namespace parlab
