#include "grade/grading.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "core/numbers.hpp"
#include "grade/clock_check.hpp"
#include "machine/roof.hpp"
#include "machine/run_queue.hpp"
#include "places/presence.hpp"
#include "record/speedup.hpp"
#include "sweep/sweep.hpp"
#include "verify/problem.hpp"

namespace parlab::grade {
namespace {

// Keeps records; the notes of a sweep to its user have no place in a grade.
struct Kept final : Observer {
  void run(const Run& run) override { machine = run.machine, date = run.date; }
  void point(const std::vector<Record>& complete) override {
    records.insert(records.end(), complete.begin(), complete.end());
  }
  void note(const std::string&) override {}
  std::vector<Record> records;
  std::string machine, date;
};

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

// "" or why it cannot be graded as declared.
std::string refused(const Assignment& assignment, const Variant& variant) {
  const auto name = std::string(assignment.workload->name());
  if (variant.workload != name) return "it is no " + name;
  if (!variant.has(assignment.dtype)) {
    return "it has no " + std::string(to_string(assignment.dtype)) + ": Register<..., " +
           std::string(to_string(assignment.dtype)) + "> is needed";
  }
  if (variant.arithmetic != Arithmetic::ieee) {
    return "it declares reduced arithmetic, " + std::string(to_string(variant.arithmetic)) +
           ", whose results have a wider bound";
  }
  return "";
}

// In a sweep of many variants their own threads wait for each other, too.
constexpr double share_of_queue = 0.25;

// What the process of a submission says of its time, by the clock of this process.
ClockCheck check_clock(RemoteExecutor& executor, const Call& call, const Assignment& assignment,
                       double median_s) {
  Problem problem(*assignment.workload, call.size, call.dtype, {call.variant}, assignment.seed);
  problem.fill(InputKind::uniform);
  executor.load(problem.inputs(), problem.outputs());
  executor.run_checked(call);
  Secret secret;
  const auto take = [&](int executions) {
    BatchPlan plan;
    for (int i = 0; i < executions; ++i) plan.executions.push_back(problem.disturbance(secret));
    executor.watched();
    const auto batch = executor.sample(call, plan);
    return WatchedBatch{batch.seconds, executor.elapsed_s(), executor.watched()};
  };
  auto check = grade::check_clock(take, median_s);
  executor.release();
  return check;
}

class Grader {
 public:
  Grader(const Assignment& assignment, const std::string& command)
      : assignment_(assignment), command_(command) {}

  // With times, held against these ceilings.
  void time_against(const Ceilings& ceilings) {
    times_ = true;
    ceilings_ = ceilings;
  }

  void grade(Grade& grade) {
    if (!grade.submission.trouble.empty()) {
      grade.verdict = Verdict::not_supported;
      grade.detail = grade.submission.trouble;
      return;
    }
    // By emulation first, which watches every access: messages name the line, and races are found.
    const bool needs_device = verify(grade, grade.submission.program, false);
    if (!grade.submission.on_gpu.empty() && (grade.passed() || needs_device)) {
      verify(grade, grade.submission.on_gpu, true);
    }
  }

  std::string machine, date;

 private:
  static constexpr int attempts = 3;
  static constexpr auto until_quieter = std::chrono::seconds(1);

  // Returns whether only a device can tell.
  bool verify(Grade& grade, const std::filesystem::path& program, bool on_device) {
    try {
      auto remote = std::make_unique<RemoteExecutor>(
          program, std::string(assignment_.workload->name()), assignment_.limits, on_device);
      RemoteExecutor& executor = *remote;
      Variant variant = remote->variant();
      variant.name = grade.submission.name;
      variant.backend = grade.submission.is_cuda() ? "cuda" : "openmp";
      variant.source = grade.submission.file.filename().string();
      grade.idea = variant.idea;
      if (const auto why = refused(assignment_, variant); !why.empty()) {
        grade.verdict = Verdict::not_supported;
        grade.detail = why;
        return false;
      }
      Plan plan = plan_for(assignment_, command_);
      plan.variants = {&variant};
      plan.sizes = assignment_.sizes;
      plan.sizes.insert(plan.sizes.end(), assignment_.hidden.begin(), assignment_.hidden.end());
      plan.verify_only = true;
      Place place{variant.target};
      place.executor = std::move(remote);
      Places places(std::move(place));
      judge(grade, swept(plan, places));
      const bool can_time = places.all().front().can_time();
      const bool alone = on_device || !grade.submission.is_cuda();
      if (grade.passed() && can_time && alone && times_) time(grade, plan, places, executor);
      return grade.verdict == Verdict::not_supported && !variant.hardware.empty();
    } catch (const PointError& error) {
      grade.verdict = error.verdict;
      grade.detail = error.what();
      return false;
    }
  }

  // Only while nobody else is at work: what others do to a time is no fault of the submission.
  void time(Grade& grade, Plan plan, Places& places, RemoteExecutor& executor) {
    const Variant& variant = *plan.variants.front();
    plan.verify_only = false;
    plan.sizes = {assignment_.sizes.back()};
    bool busy = false;
    std::string why_busy;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (busy) std::this_thread::sleep_for(until_quieter);
      (variant.needs_gpu() ? plan.device_ceilings : plan.host_ceilings) = ceilings_;
      executor.watched();
      const auto records = swept(plan, places);
      const Watched watched = executor.watched();
      busy = disturbed(watched) && !variant.needs_gpu();
      why_busy = to_string(watched);
      judge(grade, records);
      if (!grade.passed() && grade.verdict != Verdict::implausible) return;
      if (busy) continue;
      if (!grade.passed()) {
        raise_ceilings(variant);
        continue;
      }
      const auto& record = records.front();
      const Call call{&variant, record.size, record.dtype, record.tunables};
      const auto check = check_clock(executor, call, assignment_, record.summary().median);
      busy = check.verdict == ClockVerdict::busy;
      why_busy = check.detail;
      if (busy) continue;
      if (check.verdict == ClockVerdict::agrees) {
        grade.timed = record;
      } else {
        grade.verdict = Verdict::implausible;
        grade.detail = check.detail;
      }
      return;
    }
    if (busy) {
      grade.verdict = Verdict::passed;
      grade.detail = "not timed: " + why_busy;
    }
  }

  // A roof may have been measured badly: that is looked at before a time is doubted.
  void raise_ceilings(const Variant& variant) {
    const Work work = assignment_.workload->work(assignment_.sizes.back(), assignment_.dtype);
    const auto wanted = wanted_for(work, variant.unit(assignment_.dtype), Cache::hot);
    const auto here = variant.needs_gpu() ? make_gpu_executor() : make_host_executor();
    ceilings_ = best_of(ceilings_, here->ceilings(wanted));
  }

  std::vector<Record> swept(const Plan& plan, Places& places) {
    Kept kept;
    run_sweep(plan, kept, places);
    machine = kept.machine;
    date = kept.date;
    return kept.records;
  }

  static void judge(Grade& grade, const std::vector<Record>& records) {
    grade.verdict = records.empty() ? Verdict::unverified : Verdict::passed;
    grade.detail = records.empty() ? "interrupted" : "";
    grade.where.clear();
    for (const auto& record : records) {
      if (record.verdict == Verdict::passed) continue;
      grade.verdict = record.verdict;
      grade.detail = record.detail;
      grade.where = record.size;
      return;
    }
  }

  const Assignment& assignment_;
  const std::string& command_;
  bool times_ = false;
  Ceilings ceilings_;
};

// Our own rungs, for the ladder of the class, and the reference among them. Returns the ceilings;
// nothing on a machine that is too busy to measure anything.
std::optional<Ceilings> measure_ladder(Class& all, const std::string& command) {
  const auto& assignment = all.assignment;
  Plan plan = plan_for(assignment, command);
  plan.sizes = {assignment.sizes.back()};
  plan.seed.reset();
  for (const auto* variant : Registry::instance().variants(assignment.workload->name())) {
    const bool ieee = variant->arithmetic_in(assignment.dtype) == Arithmetic::ieee;
    if (variant->target == assignment.reference->target && variant->has(assignment.dtype) && ieee) {
      plan.variants.push_back(variant);
    }
  }
  Places places(plan.variants, {0});
  std::string why = "interrupted";
  Watched watched;
  bool busy = false;
  for (int look = 0; look < 3 && !all.reference; ++look) {
    Kept kept;
    const RunQueueWait queue(getpid());
    const auto start = std::chrono::steady_clock::now();
    run_sweep(plan, kept, places);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    all.ladder.clear();
    watched = {elapsed.count(), queue.seconds()};
    busy = assignment.reference->target == Target::host &&
           watched.waited_s.value_or(elapsed.count()) > share_of_queue * elapsed.count();
    if (busy) continue;
    for (const auto& record : kept.records) {
      const bool is_reference = record.full_name() == assignment.reference->full_name();
      if (is_reference) why = std::string(to_string(record.verdict)) + ": " + record.detail;
      if (!record.timed()) continue;
      all.ladder.push_back(record);
      if (is_reference) all.reference = record;
    }
  }
  if (busy) {
    all.why_untimed = to_string(watched);
    return std::nullopt;
  }
  if (!all.reference) {
    throw std::runtime_error("the reference " + assignment.reference->full_name() +
                             " has no time, " + why + "; choose another with --reference");
  }
  return places.of(*assignment.reference, 0).ceilings;
}

}  // namespace

std::vector<Size> hidden_sizes(const Workload& workload, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto parameters = workload.parameters();
  const auto extents = workload.dimensions().size() - parameters.size();
  std::vector<Size> sizes;
  for (const std::uint64_t most : {40, 200, 700}) {
    std::vector<std::int64_t> typed;
    for (std::size_t i = 0; i < extents; ++i) {
      typed.push_back(static_cast<std::int64_t>(2 + engine() % most));
    }
    if (extents > 1 && typed[0] == typed[1]) ++typed[1];
    sizes.push_back(complete_size(workload, typed));
  }
  return sizes;
}

Class grade(const Assignment& assignment, std::vector<Submission> submissions,
            const std::string& command, const std::function<void(const std::string&)>& says) {
  Class all;
  all.assignment = assignment;
  Grader grader(assignment, command);
  if (assignment.reference != nullptr) {
    says("measuring " + assignment.reference->full_name() + " and the ladder");
    if (const auto ceilings = measure_ladder(all, command)) grader.time_against(*ceilings);
  }
  for (auto& submission : submissions) {
    says(submission.student);
    Grade grade;
    grade.submission = std::move(submission);
    grader.grade(grade);
    all.grades.push_back(std::move(grade));
  }
  all.machine = grader.machine;
  all.date = grader.date;
  std::vector<Uncertain> times;
  std::vector<Grade*> timed;
  for (auto& grade : all.grades) {
    if (!grade.timed) continue;
    times.push_back(grade.timed->summary().estimate);
    timed.push_back(&grade);
    if (grade.timed->roof_s > 0) {
      grade.of_roof = grade.timed->roof_s / grade.timed->summary().median;
    }
    if (!all.reference) continue;
    grade.to_reference = ratio(times.back(), all.reference->summary().estimate);
    grade.points = assignment.points.of(*grade.to_reference);
  }
  const auto places = ranks(times);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    timed[i]->rank = places[i];
    // Whoever shares a rank shares its points.
    for (std::size_t j = 0; j < timed.size(); ++j) {
      if (places[i] == places[j]) timed[i]->points = std::max(timed[i]->points, timed[j]->points);
    }
  }
  return all;
}

std::string advice(const Class& all, const Grade& grade) {
  const auto says = [&](const char* part) { return grade.detail.find(part) != std::string::npos; };
  if (!grade.passed()) {
    if (says("does not compile")) {
      return "The first error of the compiler is above; docs/adding-a-kernel.md has a file that "
             "compiles, to start from.";
    }
    if (says("multiple definition")) {
      return "It has a name that the program around it has as well, like main(): leave it out, or "
             "put it into the unnamed namespace.";
    }
    if (says("Register<...>")) {
      return "A file says what it has by one `const Register<...> variant(...)` at its end, as "
             "docs/adding-a-kernel.md shows.";
    }
    if (says("cannot launch 0x")) {
      return "The grid has no blocks: the number of elements is rounded down where ceil_div() "
             "rounds it up.";
    }
    if (says("race")) {
      return "Two threads use one element and nothing orders them: a barrier between writing and "
             "reading, an atomic, or one writer per element.";
    }
    if (says("__syncthreads") || says("barrier")) {
      return "All threads of a block must reach the same barrier: keep it out of branches and "
             "loops that only some of them take, and return after it.";
    }
    if (says("outside") || says("past the end") || says("beyond") || says("segmentation")) {
      return "An index leaves its array: compare it with the extent before each access, and try a "
             "size that is no multiple of the block.";
    }
    if (grade.verdict == Verdict::timed_out) {
      return "It does not end: look for a loop whose condition never changes, or a thread that "
             "waits for another which never comes.";
    }
    if (says("one extent")) return "It is right at squares only: rows and columns are swapped.";
    if (says("of memory") || grade.verdict == Verdict::out_of_memory) {
      return "It asks for more memory than it was given.";
    }
    if (grade.verdict == Verdict::wrong_result) {
      return "Try the size at which it is wrong by hand, and one smaller: is every element "
             "computed, once, and from all its terms? Sums of many numbers that are added in a "
             "narrower type lose what the bound does not allow.";
    }
    return "";
  }
  if (!grade.timed) return "It is right at every size that was tried.";
  const double own = grade.timed->summary().median;
  const Record* next = nullptr;
  for (const auto& rung : all.ladder) {
    const double time = rung.summary().median;
    if (time * 1.05 >= own) continue;
    if (next == nullptr || time > next->summary().median) next = &rung;
  }
  if (next == nullptr) return "Nothing on our ladder is faster.";
  std::string text = "The next rung that is faster is " + next->full_name() + ", " +
                     significant(own / next->summary().median, 3, 2) + "x as fast";
  for (const auto* variant : Registry::instance().variants(next->workload)) {
    if (variant->full_name() == next->full_name() && !variant->idea.empty()) {
      text += ": " + variant->idea;
    }
  }
  text += ".";
  const auto& launch = grade.timed->launch;
  if (launch.spill_bytes > 0) {
    text += " Its registers spill " + std::to_string(launch.spill_bytes) +
            " bytes per thread to memory.";
  } else if (launch.occupancy > 0 && launch.occupancy < 0.4) {
    text += " Only " + percent(launch.occupancy) + " of the warps fit at once, limited by " +
            launch.limited_by + ".";
  }
  return text;
}

}  // namespace parlab::grade
