#include "grade/grader.hpp"

#include <algorithm>
#include <system_error>

#include "sweep/emulated_size.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

constexpr double emulated_s_beside_gpu = 5;  // per execution
// estimated emulation time per execution, which is about as long
constexpr double watched_s_at_most = 0.02;
constexpr std::int64_t threads_to_watch = 4;

// Why it cannot be graded as declared, or empty.
Detail refused(const Assignment& assignment, const Variant& variant) {
  const std::string name(assignment.workload->name());
  if (variant.workload != name)
    return {.cause = Cause::other_workload, .arguments = {name}};
  if (!variant.has(assignment.dtype)) {
    return {.cause = Cause::dtype_missing,
            .arguments = {std::string(to_string(assignment.dtype))}};
  }
  if (variant.arithmetic != Arithmetic::ieee) {
    return {.cause = Cause::reduced_arithmetic,
            .arguments = {std::string(to_string(variant.arithmetic))}};
  }
  return {};
}

// Causes that say nothing about the submission.
bool is_beyond_emulation(Cause cause) {
  return cause == Cause::not_emulated ||
         cause == Cause::synchronises_too_often ||
         cause == Cause::emulation_memory_short;
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
    grade.verdict = record.verdict;
    grade.detail = record.detail;
    grade.where = record.size;
    return;
  }
}

void Judge::grade(Grade& grade) {
  if (const auto trouble = grade.submission.trouble) {
    grade.verdict = trouble.cause == Cause::only_on_gpu
                        ? Verdict::unverified
                        : Verdict::not_supported;
    grade.detail = trouble;
  } else {
    grade_program(grade);
    // The machine may have enough again a moment later.
    if (is_nobodys(grade.detail) && !was_interrupted()) grade_program(grade);
  }
  if (!grade.passed() && is_nobodys(grade.detail)) {
    grade.verdict = Verdict::unverified;
    grade.detail = {.cause = Cause::grade_again, .further = {grade.detail}};
  }
}

void Judge::grade_program(Grade& grade) {
  const auto& submission = grade.submission;
  // First by emulation, which watches every access: messages name the line, and
  // races are found.
  const std::string workload(all_.assignment.workload->name());
  auto found = Outcome::needs_device;
  if (!submission.program.empty()) {
    found =
        try_program(grade, {.command = {submission.program.string(), workload},
                            .user = submission.user});
  }
  if (was_interrupted()) return;
  if (submission.on_gpu.empty()) {
    if (found != Outcome::needs_device) return;
    grade.verdict = Verdict::unverified;
    grade.detail = {.cause = Cause::only_on_gpu, .further = {grade.detail}};
    return;
  }
  if (grade.passed() || found == Outcome::needs_device) {
    const bool is_right = grade.passed();
    try_program(grade, {.command = {submission.on_gpu.string(), workload},
                        .uses_gpu = true,
                        .user = submission.user});
    // It was right, but cannot have a time.
    if (is_right && grade.detail.cause == Cause::waits_for_device) {
      grade.verdict = Verdict::passed;
      grade.where.clear();
      grade.detail = {.cause = Cause::not_timed, .further = {grade.detail}};
    }
  }
}

std::unique_ptr<Contestant> Judge::start(const Grade& grade,
                                         const Program& program) const {
  auto started = std::make_unique<Contestant>(program, all_.assignment.limits);
  auto& variant = started->variant;
  variant.name = grade.submission.name;
  variant.backend = grade.submission.is_cuda() ? "cuda" : "openmp";
  variant.source = grade.submission.file.filename().string();
  variant.asks_for_emulation =
      grade.submission.source.find("PARLAB_EMULATED") != std::string::npos;
  auto& assignment = all_.assignment;
  if (const auto known = assignment.workload->dtypes();
      assignment.dtype_of_file) {
    const auto its = std::ranges::find_if(
        known, [&](Dtype dtype) { return variant.has(dtype); });
    if (its != known.end()) assignment.dtype = *its;
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
  Plan plan = plan_for(all_.assignment, command_);
  plan.variants = {&variant};
  plan.sizes = sizes_for(all_.assignment, variant);
  std::erase_if(plan.sizes, [&](const Size& size) {
    return emulated_seconds(plan.workload->work(size, plan.dtypes.front())) >
           watched_s_at_most;
  });
  if (variant.tunable("threads") != nullptr)
    plan.tunables["threads"] = {threads_to_watch};
  plan.verify_only = true;
  if (plan.sizes.empty()) return;
  Grade found;
  judge(found, swept(plan, watched->places, all_));
  if (found.detail.cause != Cause::race_of_threads) return;
  grade.verdict = found.verdict;
  grade.detail = found.detail;
  grade.where = found.where;
}

Judge::Outcome Judge::try_program(Grade& grade, const Program& program) {
  try {
    const auto contestant = start(grade, program);
    const auto& variant = contestant->variant;
    grade.idea = variant.idea;
    Plan plan = plan_for(all_.assignment, command_);
    plan.variants = {&variant};
    plan.sizes = sizes_for(all_.assignment, variant);
    plan.verify_only = true;
    // Sizes that take long in emulation are left to the GPU, if there is one.
    const bool emulated = contestant->places.emulating();
    if (emulated && !grade.submission.on_gpu.empty()) {
      std::erase_if(plan.sizes, [&](const Size& size) {
        return emulated_seconds(plan.workload->work(
                   size, all_.assignment.dtype)) > emulated_s_beside_gpu;
      });
    }
    if (!plan.sizes.empty())
      judge(grade, swept(plan, contestant->places, all_));
    else
      grade.verdict = Verdict::passed;
    if (grade.passed() && variant.multiple_of > 1 && !grade.detail) {
      grade.detail = {.cause = Cause::passed_at_multiples,
                      .arguments = {std::int64_t{variant.multiple_of}}};
    }
    if (was_interrupted()) return Outcome::decided;
    if (grade.verdict == Verdict::not_supported &&
        (!variant.hardware.empty() || is_beyond_emulation(grade.detail.cause)))
      return Outcome::needs_device;
    // A race also explains many wrong results.
    if (grade.passed() || grade.verdict == Verdict::wrong_result)
      look_for_races(grade);
    if (was_interrupted() || !grade.passed()) return Outcome::decided;
    if (emulated && grade.submission.is_cuda())
      grade.counted = counted(all_.assignment, *contestant);
    const bool is_emulated = grade.submission.is_cuda() && !program.uses_gpu;
    if (grade.passed() && !is_emulated && stopwatch_.is_running() &&
        contestant->places.all().front().can_time()) {
      stopwatch_.time(grade, *contestant,
                      [&] { return start(grade, program); });
    }
  } catch (const PointError& error) {
    grade.verdict = error.verdict;
    grade.detail = error.detail;
  } catch (const std::system_error& error) {
    grade.verdict = Verdict::unverified;
    grade.detail = {.cause = Cause::system_refused,
                    .arguments = {error.what()}};
  }
  return Outcome::decided;
}

}  // namespace parlab::grade
