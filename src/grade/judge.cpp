#include "grade/grader.hpp"

#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

// Why it cannot be graded as declared, or nothing.
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

// What says nothing of the submission.
bool is_beyond_emulation(Cause cause) {
  return cause == Cause::not_emulated ||
         cause == Cause::synchronises_too_often ||
         cause == Cause::emulation_memory_short;
}

}  // namespace

void judge(Grade& grade, const std::vector<Record>& records) {
  grade.verdict = records.empty() ? Verdict::unverified : Verdict::passed;
  grade.detail = {};
  grade.where.clear();
  for (const auto& record : records) {
    if (record.verdict == Verdict::passed) {
      grade.detail = record.detail;
      continue;
    }
    grade.verdict = record.verdict;
    grade.detail = record.detail;
    grade.where = record.size;
    return;
  }
}

void Judge::grade(Grade& grade) {
  const auto& submission = grade.submission;
  if (submission.trouble) {
    grade.verdict = submission.trouble.cause == Cause::only_on_gpu
                        ? Verdict::unverified
                        : Verdict::not_supported;
    grade.detail = submission.trouble;
    return;
  }
  // By emulation first, which watches every access: messages name the
  // line, and races are found.
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
    // That can have no time, and was right.
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
  if (auto why = refused(all_.assignment, variant))
    throw PointError(Verdict::not_supported, std::move(why));
  return started;
}

Judge::Outcome Judge::try_program(Grade& grade, const Program& program) {
  try {
    const auto contestant = start(grade, program);
    const auto& variant = contestant->variant;
    grade.idea = variant.idea;
    Plan plan = plan_for(all_.assignment, command_);
    plan.variants = {&variant};
    plan.sizes = all_.assignment.sizes;
    plan.sizes.insert(plan.sizes.end(), all_.assignment.hidden.begin(),
                      all_.assignment.hidden.end());
    plan.verify_only = true;
    judge(grade, swept(plan, contestant->places, all_));
    if (was_interrupted()) return Outcome::decided;
    if (grade.verdict == Verdict::not_supported &&
        (!variant.hardware.empty() || is_beyond_emulation(grade.detail.cause)))
      return Outcome::needs_device;
    const bool is_emulated = grade.submission.is_cuda() && !program.uses_gpu;
    if (grade.passed() && !is_emulated && stopwatch_.is_running() &&
        contestant->places.all().front().can_time()) {
      stopwatch_.time(grade, *contestant,
                      [&] { return start(grade, program); });
    }
  } catch (const PointError& error) {
    grade.verdict = error.verdict;
    grade.detail = error.detail;
  }
  return Outcome::decided;
}

}  // namespace parlab::grade
