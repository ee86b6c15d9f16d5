#include "sweep/phases.hpp"

#include <algorithm>

#include "core/clock.hpp"

namespace parlab {
namespace {

void note_errors(const Bench& bench, Trial& trial, const Arrays& outputs) {
  const auto kind = bench.problem->kind();
  if (std::ranges::find(input_kinds, kind) == input_kinds.end()) return;
  if (const auto largest =
          bench.problem->largest_error(outputs, *trial.call.variant)) {
    trial.errors[error_name(kind, ErrorUnit::bound)] = largest->of_bound;
    trial.errors[error_name(kind, ErrorUnit::rounding)] = largest->of_rounding;
  }
}

Checked execute(Bench& bench, const Trial& trial) {
  const auto execution = at_work(bench, trial);
  return trial.place->executor->run_checked(trial.call);
}

// Whether inputs of the kind on which its first execution was right now give
// wrong results.
bool only_right_at_first(Bench& bench, Trial& trial) {
  if (!trial.passed() || bench.verified_at_s > 0) return false;
  const auto kind = bench.problem->kind();
  std::optional<Mismatch> wrong;
  load_inputs(bench, input_kinds.front());
  try {
    const auto checked = execute(bench, trial);
    by_reference(bench, trial, [&] {
      wrong = bench.problem->check(checked.outputs, *trial.call.variant);
    });
  } catch (const PointError&) {  // it fails, but in another way
  }
  load_inputs(bench, kind);
  return wrong.has_value();
}

void judge_outputs(Bench& bench, Trial& trial, const Arrays& outputs) {
  std::optional<Mismatch> wrong;
  const auto check = [&] {
    const double took_s = seconds_of(
        [&] { wrong = bench.problem->check(outputs, *trial.call.variant); });
    bench.oracle_s = std::max(bench.oracle_s, took_s);
    if (!wrong) note_errors(bench, trial, outputs);
  };
  if (!by_reference(bench, trial, check)) return;
  if (wrong) {
    auto why = why_wrong(bench, trial, *wrong);
    if (only_right_at_first(bench, trial))
      why.further.push_back({.cause = Cause::right_at_first});
    return charge(bench, trial, Verdict::wrong_result, why);
  }
  trial.verdict = Verdict::passed;
  if (!trial.place->can_time() && trial.call.variant->asks_for_emulation)
    trial.detail = {.cause = Cause::asks_for_emulation};
}

// Executes the trial once and sets its verdict.
void judge(Bench& bench, Trial& trial) {
  auto& session = bench.session;
  const auto name = trial.call.variant->full_name();
  bool reload = false;
  try {
    const Checked checked = execute(bench, trial);
    reload = checked.inputs_lost;
    trial.launch = checked.launch;
    trial.estimate_s = checked.seconds;
    session.note_time(
        configuration(name, trial.call.tunables, trial.call.dtype),
        trial.call.size, checked.seconds);
    if (checked.damage)
      charge(bench, trial, Verdict::wrong_result, checked.damage);
    else
      judge_outputs(bench, trial, checked.outputs);
  } catch (const PointError& error) {
    charge(bench, trial, error.verdict, error.detail);
    trial.library = error.library;
    reload = error.verdict == Verdict::launch_failed && recover(bench, trial);
    if (error.verdict == Verdict::timed_out) {
      trial.detail = {.cause = Cause::ended, .further = {error.detail}};
      session.endless.emplace(name, trial.detail);
    }
  } catch (const std::exception& error) {
    charge(bench, trial, Verdict::launch_failed, other(error.what()));
  }
  if (reload) reload_inputs(bench);
}

bool has_pending(const Listing& listing, const Trial& trial) {
  return std::ranges::any_of(listing.pending, [&](const Pending& pending) {
    return pending.trial == &trial && !pending.recorded_before;
  });
}

bool has_measurement(const Listing& listing, const Trial& trial) {
  return std::ranges::any_of(listing.pending, [&](const Pending& pending) {
    return pending.trial == &trial && pending.measurement;
  });
}

}  // namespace

void verify(Bench& bench, InputKind kind) {
  const auto is_due = [&](const Trial& trial) {
    const bool open =
        trial.passed() || (kind == input_kinds.front() && trial.is_open());
    return open && has_pending(bench.listing, trial) && !bench.interrupted();
  };
  if (std::ranges::none_of(bench.listing.trials, is_due)) return;
  load_inputs(bench, kind);
  for (auto& trial : bench.listing.trials) {
    if (!is_due(trial)) continue;
    show_work(bench, "verifying", trial);
    // another configuration of its variant may have been killed
    if (!trial.passed()) recall(bench.session, trial);
    if (trial.verdict == Verdict::timed_out) continue;
    judge(bench, trial);
    compare_with_square(bench.session, trial);
  }
}

void verify_again(Bench& bench) {
  if (std::ranges::none_of(bench.listing.trials, [&](const Trial& trial) {
        return has_measurement(bench.listing, trial);
      })) {
    return;
  }
  const auto measured_on = bench.session.plan.inputs.front();
  for (auto kind = input_kinds.rbegin(); kind != input_kinds.rend(); ++kind) {
    if (bench.problem->kind() != *kind) load_inputs(bench, *kind);
    // Runs as if more samples were to be taken, so that variants cannot tell
    // the difference. Wide inputs are left out, because changes would break
    // their structure.
    if (*kind != InputKind::wide) check_as_timed(bench, measured_on);
    for (auto& trial : bench.listing.trials) {
      if (!has_measurement(bench.listing, trial) || !trial.passed() ||
          bench.interrupted())
        continue;
      show_work(bench, "verifying", trial);
      judge(bench, trial);
    }
  }
}

}  // namespace parlab
