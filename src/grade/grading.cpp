#include "grade/grading.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <thread>

#include "core/numbers.hpp"
#include "facts/cause.hpp"
#include "grade/clock_check.hpp"
#include "machine/roof.hpp"
#include "machine/run_queue.hpp"
#include "places/presence.hpp"
#include "record/speedup.hpp"
#include "sweep/interrupt.hpp"
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

// By Ctrl-C.
struct Interrupted {};

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
    return "it has no " + std::string(to_string(assignment.dtype)) +
           ": Register<..., " + std::string(to_string(assignment.dtype)) +
           "> is needed";
  }
  if (variant.arithmetic != Arithmetic::ieee) {
    return "it declares reduced arithmetic, " +
           std::string(to_string(variant.arithmetic)) +
           ", whose results have a wider bound";
  }
  return "";
}

// In a sweep of many variants their own threads wait for each other, too.
constexpr double share_of_queue = 0.25;

// What the process of a submission says of its time, by the
// clock of this process.
ClockCheck check_clock(RemoteExecutor& executor,
                       const Call& call,
                       const Assignment& assignment,
                       double median_s) {
  Problem problem(*assignment.workload, call.size, call.dtype, {call.variant},
                  assignment.seed);
  problem.fill(InputKind::uniform);
  executor.load(problem.inputs(), problem.outputs());
  executor.run_checked(call);
  Secret secret;
  const auto take = [&](int executions) {
    BatchPlan plan;
    for (int i = 0; i < executions; ++i)
      plan.executions.push_back(problem.disturbance(secret));
    executor.watched();
    const auto batch = executor.sample(call, plan);
    return WatchedBatch{batch.seconds, executor.elapsed_s(),
                        executor.watched()};
  };
  auto check = grade::check_clock(take, median_s);
  executor.release();
  return check;
}

// A process that executes one variant, as the one place of a sweep.
struct Contestant {
  Contestant(const std::vector<std::string>& command,
             const Limits& limits,
             bool on_gpu,
             bool trusted = false)
      : Contestant(std::make_unique<RemoteExecutor>(
            command, limits, on_gpu, trusted)) {}

  RemoteExecutor& executor;
  Variant variant;
  Places places;

 private:
  explicit Contestant(std::unique_ptr<RemoteExecutor> remote)
      : executor(*remote),
        variant(remote->variant()),
        places({.target = variant.target, .executor = std::move(remote)}) {}
};

class Grader {
 public:
  Grader(const Assignment& assignment, const std::string& command)
      : assignment_(assignment), command_(command) {}

  // What is graded from now on has times, held against these ceilings,
  // and against the reference's. If the machine is too busy to time the
  // reference, nothing is timed.
  void time_against(const Ceilings& ceilings, Class& all) {
    ceilings_ = ceilings;
    const Variant& reference = *assignment_.reference;
    const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::vector<std::string> command{self, "serve", reference.workload,
                                           reference.full_name()};
    Grade grade;
    std::vector<Record> runs;
    try {
      while (runs.size() < processes_of_reference) {
        Contestant contestant(command, assignment_.limits,
                              reference.needs_gpu(), true);
        contestant.variant = reference;
        const auto run = time(grade, contestant);
        if (!run) break;
        runs.push_back(*run);
      }
    } catch (const PointError& error) {
      grade.verdict = error.verdict;
      grade.detail = error.what();
    }
    if (!grade.passed()) {
      throw std::runtime_error(
          "the reference " + reference.full_name() + " has no time, " +
          std::string(to_string(grade.verdict)) + ": " + grade.detail +
          "; choose another with --reference");
    }
    if (runs.size() < processes_of_reference) {
      all.why_untimed = grade.detail + " (" + reference.full_name() + ")";
      return;
    }
    std::vector<Samples> samples;
    for (const auto& run : runs)
      samples.push_back(run.samples());
    spread_ = one_run_over_another(samples);
    const bool alike = spread_.variance <= alike_within * alike_within;
    processes_ = alike ? 1 : processes_where_they_differ;
    all.reference = middle(runs);
    all.reference_time =
        over_all_processes(mean_of_runs(runs), 1.0 / processes_of_reference);
    reference_ = mean_of_runs(runs);
    for (auto& rung : all.ladder) {
      if (rung.full_name() == reference.full_name()) rung = *all.reference;
    }
  }

  // Ratio to the reference, and what a time of its own may be off by
  // where two of them are compared.
  Ratio to_reference(const Grade& grade) const {
    const double share =
        1.0 / static_cast<double>(processes_) + 1.0 / processes_of_reference;
    return ratio(over_all_processes(grade.mean / reference_, share));
  }
  Uncertain between_two() const {
    return over_all_processes(
        {1, 0, 1},
        2.0 / static_cast<double>(std::max<std::size_t>(processes_, 1)));
  }

  void grade(Grade& grade) {
    if (!grade.submission.trouble.empty()) {
      grade.verdict = Verdict::not_supported;
      grade.detail = grade.submission.trouble;
      return;
    }
    // By emulation first, which watches every access: messages name the
    // line, and races are found.
    const bool needs_device = verify(grade, grade.submission.program, false);
    if (!grade.submission.on_gpu.empty() && (grade.passed() || needs_device)) {
      verify(grade, grade.submission.on_gpu, true);
    }
  }

  std::string machine, date;

 private:
  static constexpr int attempts = 3;
  static constexpr auto until_quieter = std::chrono::seconds(1);
  // Processes of one program differ by where their memory lies, which
  // the executions of one of them do not show: by how much is known
  // from those of the reference.
  static constexpr std::size_t processes_of_reference = 5,
                               processes_where_they_differ = 3;
  static constexpr double alike_within = 0.02;

  // Returns whether only a device can tell.
  bool verify(Grade& grade,
              const std::filesystem::path& program,
              bool on_device) {
    try {
      const std::string workload(assignment_.workload->name());
      const auto start = [&] {
        auto started = std::make_unique<Contestant>(
            std::vector<std::string>{program.string(), workload},
            assignment_.limits, on_device);
        started->variant.name = grade.submission.name;
        started->variant.backend =
            grade.submission.is_cuda() ? "cuda" : "openmp";
        started->variant.source = grade.submission.file.filename().string();
        if (const auto why = refused(assignment_, started->variant);
            !why.empty()) {
          throw PointError(Verdict::not_supported, why);
        }
        return started;
      };
      const auto contestant = start();
      const auto& variant = contestant->variant;
      grade.idea = variant.idea;
      Plan plan = plan_for(assignment_, command_);
      plan.variants = {&variant};
      plan.sizes = assignment_.sizes;
      plan.sizes.insert(plan.sizes.end(), assignment_.hidden.begin(),
                        assignment_.hidden.end());
      plan.verify_only = true;
      judge(grade, swept(plan, contestant->places));
      const bool can_time = contestant->places.all().front().can_time();
      const bool alone = on_device || !grade.submission.is_cuda();
      if (!grade.passed() || !can_time || !alone || processes_ == 0) {
        return grade.verdict == Verdict::not_supported &&
               !variant.hardware.empty();
      }
      std::vector<Record> runs;
      for (std::size_t i = 0; i < processes_ && grade.passed(); ++i) {
        const auto run =
            i == 0 ? time(grade, *contestant) : time(grade, *start());
        if (!run) break;
        runs.push_back(*run);
      }
      if (!grade.passed()) return false;
      if (runs.size() < processes_) {
        grade.detail = "not timed: " + grade.detail;
        return false;
      }
      grade.timed = middle(runs);
      grade.mean = mean_of_runs(runs);
      grade.time =
          over_all_processes(grade.mean, 1.0 / static_cast<double>(processes_));
    } catch (const PointError& error) {
      grade.verdict = error.verdict;
      grade.detail = error.what();
    }
    return false;
  }

  // By one process. Only while nobody else is at work: what others do to
  // a time is no fault of the submission. Nothing: it did not pass, or it
  // did and the detail says why it has no time.
  std::optional<Record> time(Grade& grade, Contestant& contestant) {
    auto& [executor, variant, places] = contestant;
    Plan plan = plan_for(assignment_, command_);
    plan.variants = {&variant};
    plan.sizes = {assignment_.sizes.back()};
    std::string why_busy;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (attempt > 0 && !why_busy.empty())
        std::this_thread::sleep_for(until_quieter);
      (variant.needs_gpu() ? plan.device_ceilings : plan.host_ceilings) =
          ceilings_;
      executor.watched();
      const auto records = swept(plan, places);
      const Watched watched = executor.watched();
      judge(grade, records);
      if (!grade.passed() && grade.verdict != Verdict::implausible)
        return std::nullopt;
      why_busy =
          disturbed(watched) && !variant.needs_gpu() ? to_string(watched) : "";
      if (!why_busy.empty()) continue;
      if (!grade.passed()) {
        raise_ceilings(variant);
        continue;
      }
      const auto& record = records.front();
      const Call call{&variant, record.size, record.dtype, record.tunables};
      const auto check =
          check_clock(executor, call, assignment_, record.summary().median);
      if (check.verdict == ClockVerdict::agrees) return record;
      if (check.verdict == ClockVerdict::differs) {
        grade.verdict = Verdict::implausible;
        grade.detail = check.detail;
        return std::nullopt;
      }
      why_busy = check.detail;
    }
    if (!why_busy.empty()) {
      grade.verdict = Verdict::passed;
      grade.detail = why_busy;
    }
    return std::nullopt;
  }

  static Record middle(std::vector<Record> runs) {
    const auto nth =
        runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
    std::nth_element(runs.begin(), nth, runs.end(),
                     [](const Record& a, const Record& b) {
                       return a.summary().median < b.summary().median;
                     });
    return *nth;
  }

  static Uncertain mean_of_runs(const std::vector<Record>& runs) {
    std::vector<Uncertain> times;
    for (const auto& run : runs)
      times.push_back(run.summary().estimate);
    return mean_of(times);
  }

  // An estimate for any process of the program, not only for those that
  // ran. share: of the variance between processes that is left; it enters
  // once, for it was estimated once.
  Uncertain over_all_processes(const Uncertain& estimate, double share) const {
    return estimate / Uncertain{1, spread_.variance * share, spread_.freedom};
  }

  // A roof may have been measured badly: that is looked at
  // before a time is doubted.
  void raise_ceilings(const Variant& variant) {
    const Work work =
        assignment_.workload->work(assignment_.sizes.back(), assignment_.dtype);
    const auto wanted =
        wanted_for(work, variant.unit(assignment_.dtype), Cache::hot);
    const auto here =
        make_executor(variant.needs_gpu() ? Target::gpu : Target::host);
    ceilings_ = best_of(ceilings_, here->ceilings(wanted));
  }

  std::vector<Record> swept(const Plan& plan, Places& places) {
    Kept kept;
    run_sweep(plan, kept, places);
    if (was_interrupted()) throw Interrupted();
    machine = kept.machine;
    date = kept.date;
    return kept.records;
  }

  static void judge(Grade& grade, const std::vector<Record>& records) {
    grade.verdict = records.empty() ? Verdict::unverified : Verdict::passed;
    grade.detail.clear();
    grade.where.clear();
    for (const auto& record : records) {
      if (record.verdict == Verdict::passed) continue;
      grade.verdict = record.verdict;
      grade.detail = to_string(record.detail);
      grade.where = record.size;
      return;
    }
  }

  const Assignment& assignment_;
  const std::string& command_;
  // that each submission is timed in; 0: there are no times
  std::size_t processes_ = 0;
  Uncertain spread_{1, 0, 1};  // of one process over another
  Uncertain reference_;
  Ceilings ceilings_;
};

// Our own rungs, for the ladder of the class. Returns the ceilings; nothing
// on a machine that is too busy to measure anything.
std::optional<Ceilings> measure_ladder(Class& all, const std::string& command) {
  const auto& assignment = all.assignment;
  const auto target = assignment.reference->target;
  Plan plan = plan_for(assignment, command);
  plan.sizes = {assignment.sizes.back()};
  plan.seed.reset();
  for (const auto* variant :
       Registry::instance().variants(assignment.workload->name())) {
    const bool ieee =
        variant->arithmetic_in(assignment.dtype) == Arithmetic::ieee;
    if (variant->target == target && variant->has(assignment.dtype) && ieee) {
      plan.variants.push_back(variant);
    }
  }
  Places places(plan.variants, {0});
  constexpr int looks = 3;
  for (int look = 0; look < looks; ++look) {
    Kept kept;
    const RunQueueWait queue(getpid());
    const auto start = std::chrono::steady_clock::now();
    run_sweep(plan, kept, places);
    if (was_interrupted()) throw Interrupted();
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    const Watched watched{elapsed.count(), queue.seconds()};
    const double waited_s = watched.waited_s.value_or(watched.elapsed_s);
    if (target == Target::host &&
        waited_s > share_of_queue * watched.elapsed_s) {
      all.why_untimed = to_string(watched);
      continue;
    }
    all.why_untimed.clear();
    for (const auto& record : kept.records) {
      if (record.timed()) all.ladder.push_back(record);
    }
    return places.of(*assignment.reference, 0).ceilings;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Size> hidden_sizes(const Workload& workload, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto extents = count_extents(workload);
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

Class grade(const Assignment& assignment,
            std::vector<Submission> submissions,
            const std::string& command,
            const std::function<void(const std::string&)>& says) {
  Class all;
  all.assignment = assignment;
  for (auto& submission : submissions) {
    all.grades.emplace_back().submission = std::move(submission);
    all.grades.back().detail = "not graded: interrupted";
  }
  Grader grader(assignment, command);
  // These need no process, and no time.
  for (auto& grade : all.grades) {
    if (!grade.submission.trouble.empty()) grader.grade(grade);
  }
  const InterruptGuard guard;
  try {
    if (assignment.reference != nullptr) {
      says("measuring the ladder");
      if (const auto ceilings = measure_ladder(all, command)) {
        says("measuring " + assignment.reference->full_name());
        grader.time_against(*ceilings, all);
      }
    }
    for (auto& grade : all.grades) {
      if (!grade.submission.trouble.empty()) continue;
      says(grade.submission.student);
      Grade graded;
      graded.submission = grade.submission;
      grader.grade(graded);
      grade = std::move(graded);
    }
  } catch (const Interrupted&) {
    all.interrupted = true;  // what is graded already is kept
    if (!all.timed()) all.why_untimed = "it was interrupted";
  }
  all.machine = grader.machine;
  all.date = grader.date;
  std::vector<Uncertain> times;
  std::vector<Grade*> timed;
  for (auto& grade : all.grades) {
    if (!grade.timed) continue;
    times.push_back(grade.mean);
    timed.push_back(&grade);
    if (grade.timed->roof_s > 0) {
      grade.of_roof = grade.timed->roof_s / grade.time.value;
    }
    if (!all.reference) continue;
    grade.to_reference = grader.to_reference(grade);
    grade.points = assignment.points.of(*grade.to_reference);
  }
  const auto places = ranks(times, grader.between_two());
  for (std::size_t i = 0; i < timed.size(); ++i) {
    timed[i]->rank = places[i];
    // Whoever shares a rank shares its points.
    for (std::size_t j = 0; j < timed.size(); ++j) {
      if (places[i] == places[j])
        timed[i]->points = std::max(timed[i]->points, timed[j]->points);
    }
  }
  return all;
}

}  // namespace parlab::grade
