#include "grade/grader.hpp"

#include <mutex>

#include "sweep/emulated_size.hpp"
#include "sweep/sweep.hpp"

namespace parlab::grade {
namespace {

// Keeps records, and passes on only those of a sweep's notes that are about
// sizes, since others do not belong in a grade.
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
  static std::mutex one_at_a_time;  // sweeps may run side by side
  const std::lock_guard lock(one_at_a_time);
  all.machine = kept.machine;
  return std::move(kept.records);
}

std::optional<Counted> counted(const Assignment& assignment,
                               Contestant& contestant) {
  constexpr double a_moment_s = 5;
  const auto& variant = contestant.variant;
  Call call{.variant = &variant,
            .size = {},
            .dtype = assignment.dtype,
            .tunables = {}};
  double most_bytes = 0;
  auto of_hand_out = assignment;
  of_hand_out.hidden.clear();
  for (const auto& size : sizes_for(of_hand_out, variant)) {
    const auto work = assignment.workload->work(size, call.dtype);
    const double seconds = emulated_seconds(work);
    if (seconds > a_moment_s || work.bytes <= most_bytes) continue;
    call.size = size;
    call.expected_s = seconds;
    most_bytes = work.bytes;
  }
  if (call.size.empty()) return std::nullopt;
  for (const auto& tunable : variant.tunables)
    call.tunables.emplace(tunable.name, tunable.fallback);
  try {
    return count_once(contestant.executor, *assignment.workload, call);
  } catch (const PointError&) {  // the verdict stays: it was right
    return std::nullopt;
  }
}

}  // namespace parlab::grade
