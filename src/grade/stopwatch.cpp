#include "grade/grader.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "core/process.hpp"
#include "grade/clock_check.hpp"
#include "machine/roof.hpp"
#include "machine/run_queue.hpp"
#include "sweep/interrupt.hpp"
#include "verify/problem.hpp"

namespace parlab::grade {
namespace {

constexpr int attempts = 3;
constexpr auto until_quieter = std::chrono::seconds(1);
// Processes of one program differ by the place of their memory, which
// executions of a single process do not show. The reference's processes show by
// how much.
constexpr std::size_t processes_of_reference = 5,
                      processes_where_they_differ = 3;
constexpr double alike_within = 0.02;
constexpr int looks_at_ladder = 3;
// In a sweep of many variants their own threads also wait for each other.
constexpr double share_of_queue = 0.25;

// Checks the times that a submission's process reports by this process's clock.
ClockCheck check_clock_of(RemoteExecutor& executor, const Call& call,
                          const Assignment& assignment, double median_s,
                          double around_s,
                          const std::function<double()>& again = nullptr) {
  Problem problem(*assignment.workload, call.size, call.dtype, {call.variant},
                  assignment.seed);
  problem.fill(InputKind::uniform);
  executor.load(problem.inputs(), problem.outputs());
  executor.run_checked(call);
  const auto take = [&](int executions) {
    BatchPlan plan;
    for (int i = 0; i < executions; ++i)
      plan.executions.push_back(problem.disturbance());
    executor.watched();
    const auto batch = executor.sample(call, plan);
    return WatchedBatch{.reported_s = batch.seconds,
                        .elapsed_s = executor.elapsed_s(),
                        .watched = executor.watched()};
  };
  auto check = check_clock(take, median_s, around_s, again);
  executor.release();
  return check;
}

std::unique_ptr<Contestant> start_reference(const Assignment& assignment) {
  const Variant& reference = *assignment.reference;
  auto contestant = std::make_unique<Contestant>(
      Program{.command = {this_program().string(), "serve", reference.workload,
                          reference.full_name()},
              .uses_gpu = reference.needs_gpu(),
              .trusted = true},
      assignment.limits);
  contestant->variant = reference;
  return contestant;
}

Record middle(std::vector<Record> runs) {
  const auto nth = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::ranges::nth_element(
      runs, nth, {}, [](const Record& run) { return run.summary().median; });
  return *nth;
}

Uncertain mean_of_runs(const std::vector<Record>& runs) {
  std::vector<Uncertain> times;
  for (const auto& run : runs)
    times.push_back(run.summary().estimate);
  return mean_of(times);
}

}  // namespace

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
    if (variant->target == target && variant->has(assignment.dtype) && ieee)
      plan.variants.push_back(variant);
  }
  Places places(plan.variants, {0});
  for (int look = 0; look < looks_at_ladder; ++look) {
    const RunQueueWait queue(getpid());
    const auto start = std::chrono::steady_clock::now();
    const auto records = swept(plan, places, all);
    if (was_interrupted()) return std::nullopt;
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    const Watched watched{.elapsed_s = elapsed.count(),
                          .waited_s = queue.seconds()};
    const double waited_s = watched.waited_s.value_or(watched.elapsed_s);
    if (target == Target::host &&
        waited_s > share_of_queue * watched.elapsed_s) {
      all.why_untimed = why_disturbed(watched);
      continue;
    }
    all.why_untimed = {};
    for (const auto& record : records) {
      if (record.timed()) all.ladder.push_back(record);
    }
    return places.of(*assignment.reference, 0).ceilings;
  }
  return std::nullopt;
}

void Stopwatch::time_reference(const Ceilings& ceilings) {
  ceilings_ = ceilings;
  const Variant& reference = *all_.assignment.reference;
  Grade grade;
  std::vector<Record> runs;
  while (runs.size() < processes_of_reference) {
    auto contestant = start_reference(all_.assignment);
    const auto run = time_process(grade, *contestant);
    if (was_interrupted()) return;
    if (!run) break;
    runs.push_back(*run);
  }
  if (!grade.passed()) throw PointError(grade.verdict, grade.detail);
  if (runs.size() < processes_of_reference) {
    all_.why_untimed = grade.detail.further.at(0);
    all_.why_untimed.further.push_back(other(reference.full_name()));
    return;
  }
  std::vector<Samples> samples;
  for (const auto& run : runs)
    samples.push_back(run.samples());
  spread_ = one_run_over_another(samples);
  const bool alike = spread_.variance <= alike_within * alike_within;
  processes_ = alike ? 1 : processes_where_they_differ;
  all_.reference = middle(runs);
  reference_ = mean_of_runs(runs);
  all_.reference_time =
      over_all_processes(reference_, 1.0 / processes_of_reference);
  auto& ladder = all_.ladder;
  std::erase_if(ladder, [&](const Record& rung) {
    return rung.full_name() == reference.full_name();
  });
  ladder.push_back(*all_.reference);
}

void Stopwatch::time(
    Grade& grade, Contestant& first,
    const std::function<std::unique_ptr<Contestant>()>& start) {
  // On the host, questions take another time beside their executions.
  const Variant& reference = *all_.assignment.reference;
  if (first.variant.target != reference.target) {
    grade.detail = {.cause = Cause::not_timed,
                    .further = {because(Cause::reference_elsewhere,
                                        reference.full_name())}};
    return;
  }
  std::vector<Record> runs;
  for (std::size_t i = 0; i < processes_; ++i) {
    const auto run =
        i == 0 ? time_process(grade, first) : time_process(grade, *start());
    if (!run) return;
    runs.push_back(*run);
  }
  grade.timed = middle(runs);
  grade.mean = mean_of_runs(runs);
  grade.time =
      over_all_processes(grade.mean, 1.0 / static_cast<double>(processes_));
}

// Only while nothing else runs: a submission must not suffer from other
// programs. nullopt: it did not pass, or the detail says why it has no time.
std::optional<Record> Stopwatch::time_process(Grade& grade,
                                              Contestant& contestant) {
  auto& [executor, variant, places] = contestant;
  Plan plan = plan_for(all_.assignment, command_);
  plan.variants = {&variant};
  plan.sizes = {all_.assignment.sizes.back()};
  Detail why_busy;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (attempt > 0 && why_busy) std::this_thread::sleep_for(until_quieter);
    (variant.needs_gpu() ? plan.device_ceilings : plan.host_ceilings) =
        ceilings_;
    executor.watched();
    const auto records = swept(plan, places, all_);
    if (was_interrupted()) return std::nullopt;
    const Watched watched = executor.watched();
    judge(grade, records);
    if (!grade.passed() && grade.verdict != Verdict::implausible)
      return std::nullopt;
    why_busy = disturbed(watched) && !variant.needs_gpu()
                   ? why_disturbed(watched)
                   : Detail{};
    if (why_busy) continue;
    if (!grade.passed()) {
      raise_ceilings(variant);
      continue;
    }
    const auto& record = records.front();
    const Call call{&variant, record.size, record.dtype, record.tunables};
    const auto threads = static_cast<int>(call.tunables.value_or("threads", 1));
    if (is_running() && !around_s_.contains(threads)) measure_around(threads);
    const auto check =
        check_clock_of(executor, call, all_.assignment, record.summary().median,
                       around_s(threads), [&] {
                         std::this_thread::sleep_for(until_quieter);
                         if (is_running()) measure_around(threads);
                         return around_s(threads);
                       });
    if (check.verdict == ClockVerdict::agrees) {
      if (!is_running()) raise_around(threads, check.around_s);
      return record;
    }
    if (check.verdict == ClockVerdict::differs) {
      grade.judged(Verdict::implausible, check.detail);
      return std::nullopt;
    }
    why_busy = check.detail;
  }
  if (why_busy) {
    grade.verdict = Verdict::passed;
    grade.detail = {.cause = Cause::not_timed, .further = {why_busy}};
  }
  return std::nullopt;
}

// A submission may have at most the reference's largest overhead. The reference
// itself is trusted.
double Stopwatch::around_s(int threads) const {
  return is_running() ? usual_around_s + around_s_.at(threads)
                      : std::numeric_limits<double>::infinity();
}

// Starting threads takes most of a question's time, from 50 us to milliseconds,
// as the system places them. So the reference's process starts as many, though
// the reference may not use them.
void Stopwatch::measure_around(int threads) {
  const auto contestant = start_reference(all_.assignment);
  const Record& record = *all_.reference;
  Call call{all_.assignment.reference, record.size, record.dtype,
            record.tunables};
  call.tunables.insert_or_assign("threads", threads);
  const auto check = check_clock_of(contestant->executor, call, all_.assignment,
                                    record.summary().median,
                                    std::numeric_limits<double>::infinity());
  raise_around(threads, check.around_s);
}

void Stopwatch::raise_around(int threads, double seconds) {
  auto& most = around_s_[threads];
  most = std::max(most, seconds);
}

// An estimate for any process of the program, not only for those that ran.
// share: the share of the variance between processes that is left; it enters
// once, because it was estimated once.
Uncertain Stopwatch::over_all_processes(const Uncertain& estimate,
                                        double share) const {
  return estimate / Uncertain{1, spread_.variance * share, spread_.freedom};
}

// Before a time is doubted, the ceilings are measured again, since they may
// have been wrong.
void Stopwatch::raise_ceilings(const Variant& variant) {
  const auto& [workload, dtype, sizes] = std::tie(
      *all_.assignment.workload, all_.assignment.dtype, all_.assignment.sizes);
  const auto wanted = wanted_for(workload.work(sizes.back(), dtype),
                                 variant.unit(dtype), Cache::hot);
  const auto here =
      make_executor(variant.needs_gpu() ? Target::gpu : Target::host);
  ceilings_ = best_of(ceilings_, here->ceilings(wanted));
}

void Stopwatch::compare() {
  const double share = processes_ == 0 ? 1 : 1.0 / double(processes_);
  std::vector<Uncertain> times;
  std::vector<Grade*> timed;
  for (auto& grade : all_.grades) {
    if (!grade.timed) continue;
    times.push_back(grade.mean);
    timed.push_back(&grade);
    if (grade.timed->roof_s > 0)
      grade.of_roof = grade.timed->roof_s / grade.time.value;
    grade.to_reference = ratio(over_all_processes(
        grade.mean / reference_, share + 1.0 / processes_of_reference));
    grade.points = all_.assignment.points.of(*grade.to_reference);
  }
  const auto places = ranks(times, over_all_processes({1, 0, 1}, 2 * share));
  for (std::size_t i = 0; i < timed.size(); ++i) {
    timed[i]->rank = places[i];
    // Submissions that share a rank share its points.
    for (std::size_t j = 0; j < timed.size(); ++j) {
      if (places[i] == places[j])
        timed[i]->points = std::max(timed[i]->points, timed[j]->points);
    }
  }
}

}  // namespace parlab::grade
