#include "sweep/phases.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/chance.hpp"
#include "core/clock.hpp"
#include "sweep/roof_watch.hpp"

namespace parlab {
namespace {

// More than half of the executions have inputs that were written anew.
constexpr double share_anew = 0.6;
// Share of the sampling time that may be spent on checking results. The bounds
// limit how often a result of a round is checked. The probability is the same
// for all rounds of a point, so that earlier checks do not predict later ones.
constexpr double share_for_judging = 0.1, judged_at_least = 0.25,
                 judged_at_most = 0.95;

// So many batches in succession are no accident.
constexpr int suspected_at_most = 3;

// The inputs of a batch's last execution. may_be_judged: those that the problem
// knows the results of. is_anew: they are certainly written anew before it, not
// just with some probability.
struct LastInputs {
  bool may_be_judged, is_anew = false;
};

// Draws the length of the batch, and with it the execution that may be checked.
BatchPlan plan_batch(Bench& bench, const Pending& pending,
                     const LastInputs& last) {
  const Problem& problem = *bench.problem;
  const std::int64_t usual = std::max(1, pending.measurement->next_batch());
  const auto count =
      1 + random_below(pending.measurement->exact() ? usual : 2 * usual - 1);
  BatchPlan plan{.cache = pending.record.cache, .executions = {}};
  for (std::int64_t i = 0; i < count; ++i)
    plan.executions.push_back(problem.disturbance());
  auto& executions = plan.executions;
  if (last.may_be_judged) {
    executions.back().signs = problem.disturbed().signs;
    executions.back().inputs = problem.disturbed().inputs;
  }
  for (auto i = executions.rbegin(); i + 1 != executions.rend(); ++i) {
    const bool certain = last.is_anew && i == executions.rbegin();
    if (!certain && !random_chance(share_anew)) (i + 1)->signs = i->signs;
  }
  return plan;
}

// Takes a suspected batch again, on inputs that the variant does not know: a
// hypervisor may have charged the process with the time of others. Nothing of
// it is kept, so a variant gains nothing by it.
Batch run_batch(Bench& bench, const Pending& pending, const LastInputs& last) {
  const Trial& trial = *pending.trial;
  for (int suspected = 0;; bench.problem->disturb()) {
    const BatchPlan plan = plan_batch(bench, pending, last);
    const auto execution = at_work(bench, trial, std::ssize(plan.executions));
    try {
      return trial.place->executor->sample(trial.call, plan);
    } catch (const PointError& error) {
      const bool may_be_innocent = error.detail.cause == Cause::threads_beyond;
      if (!may_be_innocent || ++suspected == suspected_at_most) throw;
    }
  }
}

// Checks the results of the batch's last execution and returns what is wrong
// with them.
Detail judge_last(Bench& bench, Trial& trial) {
  const Left left = trial.place->executor->left_by_sample();
  if (left.damage) return left.damage;
  std::optional<Mismatch> wrong;
  by_reference(bench, trial, [&] {
    wrong = bench.problem->check_disturbed(left.outputs, *trial.call.variant);
  });
  if (!wrong) return {};
  return {.cause = Cause::when_timed,
          .further = {why_wrong(bench, trial, *wrong)}};
}

Detail damage_of_inputs(const Problem& problem) {
  const auto array = problem.damaged_input();
  if (array.empty()) return {};
  return {.cause = Cause::when_timed,
          .further = {because(Cause::changed_input, array)}};
}

// Whether other variants have damaged the inputs.
bool inputs_are_damaged(Bench& bench, Trial& trial) {
  const auto execution = at_work(bench, trial);
  return trial.place->executor->run_checked(trial.call).inputs_lost;
}

// Takes one batch of samples. is_judged: asked after the batch. again: its
// inputs have just been made anew.
void take_batch(Bench& bench, Pending& pending, const LastInputs& last,
                const std::function<bool()>& is_judged, bool again = false) {
  Trial& trial = *pending.trial;
  // Busy waiting, because an idle core or device lowers its clock.
  while (seconds_since({}) < pending.measurement->next_start_s() &&
         !bench.interrupted()) {
    continue;
  }
  const double start_s = seconds_since({});
  try {
    const Batch batch = run_batch(bench, pending, last);
    const double end_s = seconds_since({});
    Detail wrong = batch.damage;
    if (!wrong && is_judged()) {
      const auto repeat = [&] {
        reload_inputs(bench);
        take_batch(
            bench, pending, last, [] { return true; }, true);
      };
      // Results follow from the inputs in host memory, which are those of the
      // CPU's variants. If one of them has changed, any of them may have done
      // it; if it happens again, this one has.
      if (trial.call.variant->target == Target::host)
        wrong = damage_of_inputs(*bench.problem);
      if (wrong && !again) return repeat();
      if (!wrong) wrong = judge_last(bench, trial);
      if (!trial.passed()) return;
      if (wrong && !again && inputs_are_damaged(bench, trial)) return repeat();
    }
    if (wrong) {
      charge(bench, trial, Verdict::wrong_result, wrong);
      reload_inputs(bench);  // the variant may have damaged the inputs
    }
    pending.measurement->add(batch, start_s, end_s);
  } catch (const std::exception& error) {
    failed_while_timed(bench, trial, error);
  }
}

// Whether the copies could be timed. If a team's transfers between its GPUs
// cannot be timed, they are left out; the samples will show whether the variant
// runs.
bool time_transfers(Bench& bench, Trial& trial) {
  Executor& executor = *trial.place->executor;
  const auto execution = at_work(bench, trial);
  try {
    if (!trial.transfers) trial.transfers = executor.transfers(trial.call);
  } catch (const std::exception& error) {
    failed_while_timed(bench, trial, error);
    return false;
  }
  try {
    if (!trial.moving_s)
      trial.moving_s = executor.seconds_of_transfers(trial.call);
  } catch (const std::exception&) {
    trial.moving_s = std::nullopt;
  }
  return true;
}

// The records to measure in this cache state on the loaded inputs, without
// samples yet.
std::vector<Pending*> open_measurements(Bench& bench, Cache cache) {
  const auto& plan = bench.session.plan;
  std::vector<Pending*> open;
  for (auto& pending : bench.listing.pending) {
    Trial& trial = *pending.trial;
    if (pending.record.cache != cache ||
        pending.record.inputs != bench.problem->kind() ||
        pending.recorded_before || !trial.passed() || !is_timed(plan, trial) ||
        !time_transfers(bench, trial)) {
      continue;
    }
    pending.measurement = std::make_unique<Measurement>(plan, trial.estimate_s);
    open.push_back(&pending);
  }
  return open;
}

// The probability that a batch's last result is checked, if this many
// candidates end on the same inputs and share an oracle.
double judging_probability(const Bench& bench, std::size_t open,
                           std::size_t candidates) {
  const double round_s = usual_batch_s * static_cast<double>(open);
  const double any =
      std::clamp(share_for_judging * round_s / std::max(bench.oracle_s, 1e-9),
                 judged_at_least, judged_at_most);
  return 1 - std::pow(1 - any, 1.0 / static_cast<double>(candidates));
}

// Chooses one configuration of each variant per round, because inputs are new
// to a variant only once.
std::set<const Pending*> choose_candidates(const std::vector<Pending*>& open) {
  std::map<const Variant*, std::vector<const Pending*>> by_variant;
  for (const auto* pending : open)
    by_variant[pending->trial->call.variant].push_back(pending);
  std::set<const Pending*> chosen;
  for (const auto& [variant, all] : by_variant)
    chosen.insert(all[static_cast<std::size_t>(random_below(std::ssize(all)))]);
  return chosen;
}

// While power is capped, the clock of a kernel depends on its neighbours in the
// round, so all stay to the end.
// The others stay while their share of the limit is not known, too.
void drop_finished(std::vector<Pending*>& open, const RoofWatch& roofs) {
  const bool capped = std::ranges::any_of(open, [](const Pending* pending) {
    return pending->measurement->capped();
  });
  std::erase_if(open, [&](const Pending* pending) {
    const auto& measurement = *pending->measurement;
    if (!pending->trial->passed() || measurement.exhausted()) return true;
    return !capped && measurement.finished() && roofs.settled(*pending);
  });
  if (std::ranges::all_of(open, [&](const Pending* pending) {
        return pending->measurement->finished() && roofs.settled(*pending);
      })) {
    open.clear();
  }
}

void take_samples(Bench& bench, Cache cache) {
  auto open = open_measurements(bench, cache);
  RoofWatch roofs(bench, open);
  while (!open.empty() && !bench.interrupted()) {
    bench.problem->disturb();
    const auto candidates = choose_candidates(open);
    const double probability =
        judging_probability(bench, open.size(), candidates.size());
    // After a light kernel, a heavy one finds a cool device and power headroom,
    // so the order changes in each round.
    std::ranges::shuffle(open, SystemRandom());
    for (auto* pending : open) {
      if (bench.interrupted()) return;
      // it failed in another cache state, or lost its device
      if (!pending->trial->passed()) continue;
      show_work(bench, to_string(cache), *pending->trial);
      const bool candidate = candidates.contains(pending);
      roofs.look();
      take_batch(bench, *pending, {.may_be_judged = candidate},
                 [&] { return candidate && random_chance(probability); });
      if (pending->trial->passed()) roofs.sampled(*pending);
    }
    drop_finished(open, roofs);
  }
  if (!bench.interrupted()) roofs.finish();
}

}  // namespace

void sample_on(Bench& bench, InputKind inputs) {
  const bool usual =
      std::ranges::find(input_kinds, inputs) != input_kinds.end();
  const bool timed =
      std::ranges::any_of(bench.listing.trials, [&](const Trial& trial) {
        return trial.passed() && is_timed(bench.session.plan, trial);
      });
  if (usual && !timed) return;
  if (bench.problem->kind() != inputs) {
    if (usual)
      load_inputs(bench, inputs);
    else
      verify(bench, inputs);
  }
  for (const auto cache : bench.session.plan.caches)
    take_samples(bench, cache);
  if (!usual) check_as_timed(bench, inputs);
}

void check_as_timed(Bench& bench, InputKind measured_on) {
  std::vector<Pending*> measured;
  for (auto& pending : bench.listing.pending) {
    if (pending.measurement && pending.record.inputs == measured_on)
      measured.push_back(&pending);
  }
  bench.problem->disturb();
  std::ranges::shuffle(measured, SystemRandom());
  for (auto* pending : measured) {
    if (bench.interrupted()) return;
    if (!pending->trial->passed()) continue;
    show_work(bench, "verifying", *pending->trial);
    const Measurement kept = *pending->measurement;
    take_batch(bench, *pending, {.may_be_judged = true, .is_anew = true},
               [] { return true; });
    *pending->measurement = kept;
  }
}

}  // namespace parlab
