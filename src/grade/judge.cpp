#include "grade/grader.hpp"

#include <algorithm>
#include <limits>
#include <system_error>

#include "sweep/emulated_size.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

constexpr double emulated_s_beside_gpu = 5;  // per execution
// estimated emulation time per execution, which is about as long
constexpr double watched_s_at_most = 0.02, watched_s_to_share = 1;
// Shares of some sizes are equal with one of them and differ with the other.
constexpr std::int64_t threads_to_watch[] = {3, 4};

// Why it cannot be graded as declared, or empty.
Detail refused(const Assignment& assignment, const Variant& variant) {
  const std::string name(assignment.workload->name());
  if (variant.workload != name) return because(Cause::other_workload, name);
  if (!variant.has(assignment.dtype)) {
    return because(Cause::dtype_missing, assignment.dtype);
  }
  if (variant.arithmetic != Arithmetic::ieee) {
    return because(Cause::reduced_arithmetic, variant.arithmetic);
  }
  return {};
}

bool is_short_of_memory(const Detail& why) {
  return why.cause == Cause::emulation_memory_short ||
         std::ranges::any_of(why.further, is_short_of_memory);
}

// These say nothing about the submission.
bool is_beyond_emulation(const Detail& why) {
  return why.cause == Cause::not_emulated ||
         why.cause == Cause::synchronises_too_often ||
         why.cause == Cause::too_slow_for_emulation ||
         why.cause == Cause::emulation_memory_short;
}

// The system was short of something, whatever the reason.
bool is_nobodys(const Detail& why) {
  switch (why.cause) {
    case Cause::system_refused:
    case Cause::threads_not_started:
    case Cause::cpu_limit_of_shell:
    case Cause::disk_is_full:
    case Cause::no_host_memory:
    case Cause::host_memory_short:
      return true;
    case Cause::ended_by_signal:  // nothing here sends it
      return std::get<std::string>(why.arguments.at(1)) == "KILL";
    default:
      return std::ranges::any_of(why.further, is_nobodys);
  }
}

// An exception of `step` becomes the verdict.
void charged(Grade& grade, const std::function<void()>& step) {
  try {
    step();
  } catch (const PointError& error) {
    grade.judged(error.verdict, error.detail);
  } catch (const std::system_error& error) {
    grade.judged(Verdict::unverified,
                 because(Cause::system_refused, error.what()));
  }
}

}  // namespace

void judge(Grade& grade, const std::vector<Record>& records) {
  grade.verdict = records.empty() ? Verdict::unverified : Verdict::passed;
  grade.detail = {};
  grade.where.clear();
  for (const auto& record : records) {
    if (record.verdict == Verdict::passed) {
      if (record.detail) grade.detail = record.detail;
      continue;
    }
    grade.judged(record.verdict, record.detail);
    grade.where = record.size;
    return;
  }
}

Judge::Next Judge::judge(Grade& grade) {
  const auto& submission = grade.submission;
  if (const auto trouble = submission.trouble) {
    const bool open = trouble.cause == Cause::only_on_gpu;
    grade.judged(open ? Verdict::unverified : Verdict::not_supported, trouble);
    return Next::nothing;
  }
  const auto next =
      submission.program.empty() ? Next::on_gpu : try_program(grade);
  if (next != Next::on_gpu || !submission.on_gpu.empty() || was_interrupted())
    return next;
  grade.verdict = Verdict::unverified;
  grade.detail = {.cause = Cause::only_on_gpu, .further = {grade.detail}};
  return Next::nothing;
}

void Judge::finish(Grade& grade, Next next) {
  if (next != Next::nothing) {
    const Grade judged = grade;
    try_alone(grade, next);
    // The machine may have enough again a moment later.
    if (is_nobodys(grade.detail) && !was_interrupted()) {
      grade = judged;
      try_alone(grade, next);
    }
  }
  if (!grade.passed() && is_nobodys(grade.detail)) {
    grade.verdict = Verdict::unverified;
    grade.detail = {.cause = Cause::grade_again, .further = {grade.detail}};
  }
}

bool Judge::may_be_others_fault(const Grade& grade, bool beside_others) {
  if (is_nobodys(grade.detail)) return true;
  return beside_others && (grade.verdict == Verdict::timed_out ||
                           is_short_of_memory(grade.detail));
}

Program Judge::program_of(const Grade& grade, Next next) const {
  const auto& submission = grade.submission;
  const bool on_gpu = next == Next::on_gpu;
  const auto& path = on_gpu ? submission.on_gpu : submission.program;
  return {
      .command = {path.string(), std::string(all_.assignment.workload->name())},
      .uses_gpu = on_gpu,
      .user = submission.user};
}

std::unique_ptr<Contestant> Judge::start(const Grade& grade,
                                         const Program& program) const {
  auto started = std::make_unique<Contestant>(program, all_.assignment.limits);
  auto& variant = started->variant;
  variant.name = grade.submission.name;
  variant.backend = grade.submission.is_cuda() ? "cuda" : "openmp";
  variant.source = grade.submission.file.filename().string();
  // OpenMP's own default is all threads, too.
  if (!grade.submission.for_races.empty() &&
      variant.tunable("threads") == nullptr) {
    const TunableSpec all = threads();
    variant.tunables.push_back({all.name, all.fallback, all.min, all.max});
  }
  variant.asks_for_emulation =
      grade.submission.source.find("PARLAB_EMULATED") != std::string::npos;
  auto& assignment = all_.assignment;
  if (const auto known = assignment.workload->dtypes();
      assignment.dtype_of_file) {
    const auto its = std::ranges::find_if(
        known, [&](Dtype dtype) { return variant.has(dtype); });
    if (its != known.end()) assignment.dtype = *its;
    for (const auto other : known) {
      if (variant.has(other) && other != assignment.dtype)
        all_.tells(because(Cause::types_not_tried, other));
    }
  }
  if (auto why = refused(assignment, variant))
    throw PointError(Verdict::not_supported, std::move(why));
  return started;
}

// Runs once, at small sizes, a program whose accesses are watched. Its other
// failures say nothing, because it is not the program that was handed in.
void Judge::look_for_races(Grade& grade) {
  if (grade.submission.for_races.empty()) return;
  const std::string workload(all_.assignment.workload->name());
  const auto watched =
      start(grade, {.command = {grade.submission.for_races.string(), workload},
                    .user = grade.submission.user});
  const auto& variant = watched->variant;
  Plan plan = plan_to_verify(variant, watched_s_to_share);
  const auto seconds = [&](const Size& size) {
    return emulated_seconds(plan.workload->work(size, all_.assignment.dtype));
  };
  std::ranges::sort(plan.sizes, {}, seconds);
  auto end = std::ranges::find_if(plan.sizes, [&](const Size& size) {
    return seconds(size) > watched_s_at_most;
  });
  // Threads share no loop over one row, so a longer size is among them.
  const auto shared = std::ranges::find_if(plan.sizes, [](const Size& size) {
    return size.front() >= threads_to_watch[0];
  });
  if (shared != plan.sizes.end()) end = std::max(end, shared + 1);
  plan.sizes.erase(end, plan.sizes.end());
  plan.tunables["threads"] = {std::begin(threads_to_watch),
                              std::end(threads_to_watch)};
  if (plan.sizes.empty()) return;
  Grade found;
  parlab::grade::judge(found, swept(plan, watched->places, all_));
  if (found.detail.cause != Cause::race_of_threads) return;
  grade.judged(found.verdict, found.detail);
  grade.where = found.where;
}

// At the sizes whose emulation takes at most this long.
Plan Judge::plan_to_verify(const Variant& variant, double most_s) const {
  Plan plan = plan_for(all_.assignment, command_);
  plan.oracles = oracles_;
  plan.variants = {&variant};
  plan.sizes = sizes_for(all_.assignment, variant);
  plan.verify_only = true;
  std::erase_if(plan.sizes, [&](const Size& size) {
    return emulated_seconds(plan.workload->work(size, all_.assignment.dtype)) >
           most_s;
  });
  return plan;
}

void Judge::verify(Grade& grade, Contestant& contestant) {
  const auto& variant = contestant.variant;
  grade.idea = variant.idea;
  // Sizes that take long in emulation are left to the GPU, if there is one.
  const bool leaves_some =
      contestant.places.emulating() && !grade.submission.on_gpu.empty();
  const Plan plan = plan_to_verify(
      variant, leaves_some ? emulated_s_beside_gpu
                           : std::numeric_limits<double>::infinity());
  if (!plan.sizes.empty())
    parlab::grade::judge(grade, swept(plan, contestant.places, all_));
  else
    grade.verdict = Verdict::passed;
  if (grade.passed() && variant.multiple_of > 1 && !grade.detail) {
    grade.detail = because(Cause::passed_at_multiples, variant.multiple_of);
  }
}

// First by emulation, which watches every access: messages name the line, and
// races are found.
Judge::Next Judge::try_program(Grade& grade) {
  const auto& submission = grade.submission;
  auto next = Next::nothing;
  charged(grade, [&] {
    const auto contestant = start(grade, program_of(grade, Next::nothing));
    const auto& variant = contestant->variant;
    verify(grade, *contestant);
    if (was_interrupted()) return;
    if (grade.verdict == Verdict::not_supported && !variant.hardware.empty()) {
      next = Next::on_gpu;
      return;
    }
    // A race also explains many wrong results.
    if (grade.passed() || grade.verdict == Verdict::wrong_result)
      look_for_races(grade);
    if (was_interrupted() || !grade.passed()) return;
    if (contestant->places.emulating() && submission.is_cuda())
      grade.counted = counted(all_.assignment, *contestant);
    if (!submission.on_gpu.empty())
      next = Next::on_gpu;
    else if (!submission.is_cuda() && stopwatch_.is_running())
      next = Next::timing;
  });
  const bool is_beyond = grade.verdict == Verdict::not_supported &&
                         is_beyond_emulation(grade.detail);
  return is_beyond ? Next::on_gpu : next;
}

void Judge::try_alone(Grade& grade, Next next) {
  const bool is_right = grade.passed();
  const auto program = program_of(grade, next);
  charged(grade, [&] {
    const auto contestant = start(grade, program);
    if (next == Next::on_gpu) verify(grade, *contestant);
    if (was_interrupted() || !grade.passed()) return;
    if (stopwatch_.is_running() &&
        contestant->places.all().front().can_time()) {
      stopwatch_.time(grade, *contestant,
                      [&] { return start(grade, program); });
    }
  });
  // It was right, but cannot have a time.
  if (is_right && grade.detail.cause == Cause::waits_for_device) {
    grade.verdict = Verdict::passed;
    grade.where.clear();
    grade.detail = {.cause = Cause::not_timed, .further = {grade.detail}};
  }
}

}  // namespace parlab::grade
