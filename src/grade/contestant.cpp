#include "grade/grader.hpp"

#include "sweep/sweep.hpp"

namespace parlab::grade {
namespace {

// Keeps records; of the notes of a sweep to its user those on sizes alone have
// a place in a grade.
struct KeptRecords final : Observer {
  explicit KeptRecords(const std::function<void(const Detail&)>& to)
      : tells(to) {}
  void run(const Run& run) override { machine = run.machine; }
  void point(const std::vector<Record>& complete) override {
    records.insert(records.end(), complete.begin(), complete.end());
  }
  void note(const Detail& note) override {
    const bool of_size = note.cause == Cause::smaller_emulated ||
                         note.cause == Cause::long_emulation;
    if (of_size && tells) tells(note);
  }
  const std::function<void(const Detail&)>& tells;
  std::vector<Record> records;
  std::string machine;
};

}  // namespace

Plan plan_for(const Assignment& assignment, const std::string& command) {
  Plan plan;
  plan.workload = assignment.workload;
  plan.dtypes = {assignment.dtype};
  plan.caches = {Cache::hot};
  plan.command = command;
  plan.seed = assignment.seed;
  plan.execution_limit_s = assignment.limits.seconds;
  return plan;
}

std::vector<Record> swept(const Plan& plan, Places& places, Class& all) {
  KeptRecords kept(all.tells);
  run_sweep(plan, kept, places);
  all.machine = kept.machine;
  return std::move(kept.records);
}

}  // namespace parlab::grade
