#include "sweep/phases.hpp"

#include <algorithm>

namespace parlab {
namespace {

// A run for energy, including the time in which a device may warm up.
constexpr double repeat_at_most_s = 150;
constexpr std::size_t in_turns = 4;

// False if it has failed since, or has no meter, or lost its device (the reason
// is recorded).
bool may_have_energy(Bench& bench, Pending& pending) {
  Place& place = *pending.trial->place;
  auto& absent = pending.record.energy->absent;
  const auto why = bench.no_energy.find(&place);
  if (why != bench.no_energy.end()) absent = why->second;
  if (!absent)
    absent = bench.session.gauge_of(place, bench.interrupted).absent();
  return pending.trial->passed() && !absent;
}

EnergyGauge::Run run(Bench& bench, EnergyGauge& gauge, Pending& pending) {
  const Trial& trial = *pending.trial;
  return gauge.run(
      median(pending.measurement->seconds()),
      [&](const Repetition& repetition) {
        const auto execution = at_work(bench, trial, 1, repeat_at_most_s);
        return trial.place->executor->repeat(trial.call, repetition);
      },
      bench.interrupted);
}

// Repeats the execution for several seconds. The result of the last one must be
// right.
void run_for_energy(Bench& bench, Pending& pending, EnergyRuns& runs) {
  Trial& trial = *pending.trial;
  EnergyGauge& gauge = bench.session.gauge_of(*trial.place, bench.interrupted);
  auto& energy = *pending.record.energy;
  try {
    const auto [joules, seconds, left] = run(bench, gauge, pending);
    if (bench.interrupted()) return;
    std::optional<Mismatch> wrong;
    const auto check = [&] {
      wrong = bench.problem->check(left.outputs, *trial.call.variant);
    };
    if (!by_reference(bench, trial, check)) return;
    const auto damage = left.damage;
    if (damage || wrong) {
      charge(bench, trial, Verdict::wrong_result,
             {.cause = Cause::when_energy_was_measured,
              .further = {damage ? damage : detail_of(*wrong)}});
      return reload_inputs(bench);
    }
    runs.add(joules, seconds);
    energy = runs.energy();
  } catch (const NoEnergy& error) {
    energy.absent = error.detail;
  } catch (const std::exception& error) {
    failed_while_timed(bench, trial, error);
  }
  energy.source = gauge.source();
  energy.idle_w = gauge.idle_w();
}

void measure_group(Bench& bench, PendingGroup group) {
  std::vector<std::pair<Pending*, EnergyRuns>> open;
  for (auto* pending : group)
    open.emplace_back(pending, EnergyRuns(bench.session.plan.energy_time_s));
  while (!open.empty() && !bench.interrupted()) {
    for (auto& [pending, runs] : open) {
      if (bench.interrupted()) break;
      if (!may_have_energy(bench, *pending)) continue;
      show_work(bench, "energy of", *pending->trial);
      run_for_energy(bench, *pending, runs);
    }
    std::erase_if(open, [&](const auto& one) {
      const auto& [pending, runs] = one;
      return runs.finished() || !may_have_energy(bench, *pending);
    });
  }
  // The interrupted records keep their times.
  for (auto& [pending, runs] : open)
    pending->record.energy.reset();
}

}  // namespace

std::vector<Pending*> waiting_for_energy(Bench& bench) {
  std::vector<Pending*> waiting;
  if (!bench.session.plan.energy) return waiting;
  for (auto& pending : bench.listing.pending) {
    if (!pending.measurement || !pending.trial->passed()) continue;
    auto& energy = pending.record.energy.emplace();
    if (pending.record.cache == Cache::cold) {
      energy.absent = {.cause = Cause::flushing_takes_energy};
    } else {
      waiting.push_back(&pending);
    }
  }
  return waiting;
}

void measure_energy(Bench& bench, PendingGroup waiting,
                    const std::function<void(PendingGroup)>& done) {
  bench.proven = true;
  // Records in waiting are ordered by kind of inputs.
  for (std::size_t i = 0, end = 0; i < waiting.size(); i = end) {
    const auto inputs = waiting[i]->record.inputs;
    while (end < waiting.size() && end - i < in_turns &&
           waiting[end]->record.inputs == inputs)
      ++end;
    const auto group = waiting.subspan(i, end - i);
    const bool is_new = i == 0 || bench.problem->kind() != inputs;
    if (is_new && std::ranges::any_of(group, [&](Pending* pending) {
          return may_have_energy(bench, *pending);
        })) {
      load_inputs(bench, inputs);
    }
    measure_group(bench, group);
    done(group);
  }
}

}  // namespace parlab
