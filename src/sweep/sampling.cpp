#include "sweep/phases.hpp"

#include <algorithm>
#include <chrono>

namespace parlab {
namespace {

// Share of the sampling time that may be spent on checking executions.
constexpr double share_for_checks = 0.08;
// One of the first rounds is always checked; in one, threads are counted.
constexpr int first_rounds = 4;

// again: after a wrong result, with executions before it that may damage its
// inputs.
enum class Check { none, last, again };

double seconds_now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool inputs_are_damaged(Bench& bench, Trial& trial) {
  const auto execution = at_work(bench, trial);
  return trial.place->executor->run_checked(trial.call).inputs_lost;
}

// A batch that is to be checked ends at an execution that nobody foresees.
BatchPlan plan_batch(Bench& bench, Pending& pending, Check check) {
  auto& secret = bench.secret;
  const bool checked = check != Check::none;
  std::int64_t count = pending.measurement->next_batch();
  if (checked) count = 1 + secret.below(count);
  if (check == Check::again) count = std::max<std::int64_t>(count, 3);
  // Not both: to count threads is to wait until they sleep, and late
  // writers would have time to end.
  const auto batches = std::ssize(pending.measurement->batches());
  const bool watch =
      !checked && pending.watch_at && batches >= *pending.watch_at;
  if (watch) pending.watch_at.reset();
  BatchPlan plan{.cache = pending.record.cache,
                 .executions = {},
                 .check_last = checked,
                 .watch_threads = watch};
  for (std::int64_t i = 0; i < count; ++i)
    plan.executions.push_back(bench.problem->disturbance(secret));
  if (checked) plan.executions.back().inputs = bench.problem->changes();
  return plan;
}

Batch run_batch(Bench& bench, const Trial& trial, const BatchPlan& plan) {
  const auto execution = at_work(bench, trial, std::ssize(plan.executions));
  return trial.place->executor->sample(trial.call, plan);
}

// One batch of samples, of which the last result may be checked.
void take_batch(Bench& bench, Pending& pending, Check check) {
  Trial& trial = *pending.trial;
  auto& problem = *bench.problem;
  const BatchPlan plan = plan_batch(bench, pending, check);
  // Waits busily: a core or a device that rests lowers its clock.
  while (seconds_now() < pending.measurement->next_start_s() &&
         !bench.interrupted()) {
    continue;
  }
  const double start_s = seconds_now();
  try {
    const Batch batch = run_batch(bench, trial, plan);
    const double end_s = seconds_now();
    bench.sampling_s += end_s - start_s;
    if (const auto damage = batch.damage) {
      trial.end(Verdict::wrong_result, damage);
    } else if (plan.check_last) {
      const auto wrong =
          problem.check_changed(batch.outputs, *trial.call.variant);
      // Alone on new inputs it is looked at once more, where they were no
      // longer what they had been: another variant may have damaged them.
      if (wrong && check == Check::last && inputs_are_damaged(bench, trial)) {
        problem.refill();
        problem.change(bench.secret);
        load_everywhere(bench);
        return take_batch(bench, pending, Check::again);
      }
      if (wrong) {
        trial.end(Verdict::wrong_result,
                  {.cause = Cause::when_timed, .further = {detail_of(*wrong)}});
      }
      bench.checking_s += seconds_now() - end_s;
    }
    // its inputs may be those that it damaged
    if (!trial.passed()) reload_inputs(bench);
    pending.measurement->add(batch, start_s, end_s);
  } catch (const std::exception& error) {
    failed_while_timed(bench, trial, error);
  }
}

// Whether they could be timed. How long a GPU of a team is in transfers
// is left out where it cannot be told: whether the variant runs is
// for its samples to say.
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

// The records to measure in this cache state, with nothing measured yet.
std::vector<Pending*> open_measurements(Bench& bench, Cache cache) {
  const auto& plan = bench.session.plan;
  std::vector<Pending*> open;
  for (auto& pending : bench.listing.pending) {
    Trial& trial = *pending.trial;
    if (pending.record.cache != cache || pending.recorded_before ||
        !trial.passed() || !is_timed(plan, trial) ||
        !time_transfers(bench, trial)) {
      continue;
    }
    pending.measurement = std::make_unique<Measurement>(plan, trial.estimate_s);
    pending.watch_at = bench.secret.below(first_rounds);
    open.push_back(&pending);
  }
  return open;
}

// Each checked round needs an oracle of its own: only as many are checked as
// the time allows, but at least one of the first. Nobody may foresee which.
bool is_checked(Bench& bench, int round) {
  if (bench.checking_s > share_for_checks * bench.sampling_s &&
      bench.checking_s > 0) {
    return false;
  }
  const int left = first_rounds - round;
  return bench.secret.chance(left > 0 ? 1.0 / left : 0.5);
}

// One configuration of each variant per round: a change is new
// to a variant only once.
std::vector<const Pending*> choose_checked(Secret& secret,
                                           const std::vector<Pending*>& open) {
  std::map<const Variant*, std::vector<const Pending*>> by_variant;
  for (const auto* pending : open)
    by_variant[pending->trial->call.variant].push_back(pending);
  std::vector<const Pending*> chosen;
  for (const auto& [variant, all] : by_variant)
    chosen.push_back(
        all[static_cast<std::size_t>(secret.below(std::ssize(all)))]);
  return chosen;
}

// In another order each round: after a light kernel a heavy one finds a cool
// device, and power to spare.
void shuffle(Secret& secret, std::vector<Pending*>& open) {
  for (std::size_t left = open.size(); left > 1; --left) {
    const auto chosen = secret.below(static_cast<std::int64_t>(left));
    std::swap(open[left - 1], open[static_cast<std::size_t>(chosen)]);
  }
}

// While power is capped, the clock of a kernel depends on its neighbours: all
// stay to the end.
void drop_finished(std::vector<Pending*>& open) {
  const bool capped = std::ranges::any_of(open, [](const Pending* pending) {
    return pending->measurement->capped();
  });
  std::erase_if(open, [&](const Pending* pending) {
    const auto& measurement = *pending->measurement;
    return !pending->trial->passed() ||
           (capped ? measurement.exhausted() : measurement.finished());
  });
  if (std::ranges::all_of(open, [](const Pending* pending) {
        return pending->measurement->finished();
      })) {
    open.clear();
  }
}

}  // namespace

void take_samples(Bench& bench, Cache cache) {
  auto open = open_measurements(bench, cache);
  for (int round = 0; !open.empty() && !bench.interrupted(); ++round) {
    std::vector<const Pending*> checked;
    if (is_checked(bench, round)) {
      bench.problem->change(bench.secret);
      checked = choose_checked(bench.secret, open);
    }
    shuffle(bench.secret, open);
    for (auto* pending : open) {
      if (bench.interrupted()) return;
      // failed in another cache state, or lost its device
      if (!pending->trial->passed()) continue;
      show_work(bench, to_string(cache), *pending->trial);
      const bool check = std::ranges::find(checked, pending) != checked.end();
      take_batch(bench, *pending, check ? Check::last : Check::none);
    }
    drop_finished(open);
  }
}

void check_as_timed(Bench& bench, Pending& pending) {
  auto measurement = std::move(pending.measurement);
  // a few executions will do
  pending.measurement = std::make_unique<Measurement>(bench.session.plan, 1);
  take_batch(bench, pending, Check::last);
  pending.measurement = std::move(measurement);
}

}  // namespace parlab
