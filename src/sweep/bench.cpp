#include "sweep/bench.hpp"

#include <algorithm>
#include <cmath>

#include "core/clock.hpp"

namespace parlab {
namespace {

void fail(Bench& bench, Place& place, const PointError& error) {
  if (bench.proven) {
    bench.no_energy.emplace(&place, error.detail);
    return;
  }
  // Memory that earlier points left behind may be the reason.
  auto& supervisor = bench.session.supervisor;
  if (supervisor.may_start_afresh()) supervisor.start_afresh();
  for (auto& trial : bench.listing.trials) {
    if (trial.place == &place)
      charge(bench, trial, error.verdict, error.detail);
  }
}

void load(Bench& bench, Place& place) {
  try {
    place.executor->load(bench.problem->inputs(), bench.problem->outputs());
  } catch (const PointError& error) {
    fail(bench, place, error);
  }
}

// The reference failed before any trial could run.
void give_up_all(Bench& bench, const std::exception& why) {
  for (auto& trial : bench.listing.trials) {
    if (trial.passed() || trial.is_open()) trial.give_up(why);
  }
}

// Has the problem write inputs, and loads them.
template <typename F>
void load_anew(Bench& bench, F write) {
  try {
    write(*bench.problem);
  } catch (const std::exception& error) {
    return give_up_all(bench, error);
  }
  load_everywhere(bench);
}

void require_memory(const Plan& plan, const PointPlan& point) {
  double needed =
      bytes_needed(*plan.workload, point.size, point.dtype, point.variants);
  // A variant that begins and ends in host memory needs arrays of its own
  // there.
  const bool twice = std::ranges::any_of(
      point.variants,
      [](const Variant* variant) { return variant->from_host(); });
  if (twice) needed *= 2;
  if (needed <= plan.memory_bytes) return;
  throw PointError(
      Verdict::out_of_memory,
      because(Cause::host_memory_short, quantity(needed, Unit::byte),
              quantity(plan.memory_bytes, Unit::byte)));
}

// The share of its time that has passed when samples are as far as that. After
// them, results are verified as before, and also as they are timed.
double with_verifying(const Bench& bench, double progress) {
  const double now_s = seconds_since(bench.begin);
  const double again_s =
      bench.sampled_at_s > 0 ? now_s - bench.sampled_at_s : 0;
  const double left_s = std::max(2 * bench.verified_at_s - again_s, 0.0);
  return progress * now_s / (now_s + left_s);
}

}  // namespace

std::optional<Bench> set_up_bench(Session& session, const PointPlan& point,
                                  Listing& listing, const Stop& interrupted) {
  const auto places = places_in_use(listing);
  if (places.empty()) return std::nullopt;
  Bench bench{session, listing, interrupted, nullptr};
  try {
    require_memory(session.plan, point);
    bench.problem = std::make_unique<Problem>(
        *session.plan.workload, point.size, point.dtype, point.variants,
        session.plan.seed, session.plan.oracles);
  } catch (const PointError& error) {
    for (auto* place : places)
      fail(bench, *place, error);
    return std::nullopt;
  } catch (const std::exception& error) {
    give_up_all(bench, error);
    return std::nullopt;
  }
  return bench;
}

void load_everywhere(Bench& bench) {
  for (auto* place : places_in_use(bench.listing))
    load(bench, *place);
}

void load_inputs(Bench& bench, InputKind kind) {
  load_anew(bench, [&](Problem& problem) { problem.fill(kind); });
}

void reload_inputs(Bench& bench) {
  load_anew(bench, [](Problem& problem) { problem.refill(); });
}

bool recover(Bench& bench, const Trial& failed) {
  Place& place = *failed.place;
  auto& session = bench.session;
  try {
    return place.executor->recover();
  } catch (const std::exception& error) {
    if (session.supervisor.may_leave()) {
      Record record =
          blank_record(session, failed, Cache::hot, InputKind::uniform);
      record.verdict = failed.verdict;
      record.detail = failed.detail;
      session.supervisor.leave(name_of(failed.call), record);
    }
    Detail lost{.cause = Cause::device_lost, .further = {detail_of(error)}};
    if (bench.proven) bench.no_energy.emplace(&place, lost);
    lost.further.push_back({.cause = Cause::goes_on_when_run_again});
    session.lose(place, lost);
    if (bench.proven) return false;
    for (auto& trial : bench.listing.trials) {
      if (trial.place == &place && (trial.passed() || trial.is_open())) {
        trial.end(Verdict::no_device, lost);
      }
    }
    return false;
  }
}

void charge(Bench& bench, Trial& trial, Verdict verdict, const Detail& why) {
  trial.end(verdict, why);
  const bool decided_so =
      verdict == Verdict::not_supported || verdict == Verdict::no_device;
  if (!decided_so)
    trial.doubt = bench.session.supervisor.doubt(name_of(trial.call), why);
}

void failed_while_timed(Bench& bench, Trial& trial, const std::exception& why) {
  const auto* known = dynamic_cast<const PointError*>(&why);
  charge(bench, trial, known ? known->verdict : Verdict::launch_failed,
         detail_of(why));
  if (trial.verdict == Verdict::launch_failed && recover(bench, trial))
    load(bench, *trial.place);
}

AtWork at_work(Bench& bench, const Trial& trial, double count, double more_s) {
  // Emulation has a limit of its own, which grows with the blocks.
  const bool is_timed = trial.place == nullptr || trial.place->can_time() ||
                        !trial.call.variant->needs_gpu();
  const double at_least_s = is_timed ? 60 : 1800;
  constexpr double times_expected = 50;
  const auto& plan = bench.session.plan;
  const double once_s = plan.execution_limit_s.value_or(
      at_least_s + times_expected * rough_seconds(plan, trial));
  return {.execution = {bench.session.supervisor, name_of(trial.call),
                        count * once_s + more_s},
          .kept = {}};
}

void Check::look(const reference::Progress& progress) {
  auto& session = bench_.session;
  if (bench_.interrupted()) throw ExplainedError({.cause = Cause::interrupted});
  const double taken_s = seconds_since(begin_);
  const auto in_seconds = [](double value) {
    return quantity(value, Unit::second);
  };
  if (taken_s > session.plan.verify_limit_s) {
    throw ExplainedError(because(Cause::reference_too_slow,
                                 in_seconds(session.plan.verify_limit_s)));
  }
  const auto whole = [](double value) {
    return std::to_string(std::lround(value));
  };
  const bool known = progress.share > 0;
  show_work(bench_,
            "verifying (" + (known ? whole(100 * progress.share) + " %, " +
                                         whole(progress.left_s) + " s left)"
                                   : whole(taken_s) + " s so far)"),
            trial_);
  if (taken_s < next_note_s_) return;
  const auto& call = trial_.call;
  auto note = because(Cause::reference_goes_on,
                      std::string(session.plan.workload->name()) + " " +
                          std::string(to_string(call.dtype)) + " " +
                          size_text(*session.plan.workload, call.size),
                      in_seconds(next_note_s_));
  if (known) {
    note.cause = Cause::reference_at_work;
    note.arguments.emplace_back(quantity(progress.share, Unit::fraction));
    note.arguments.emplace_back(in_seconds(progress.left_s));
  }
  session.observer.note(note);
  next_note_s_ *= 2;
}

void show_work(Bench& bench, std::string_view what, const Trial& trial) {
  auto done = static_cast<double>(bench.session.done);
  for (const auto& pending : bench.listing.pending) {
    if (pending.measurement)
      done += with_verifying(bench, pending.measurement->progress());
  }
  bench.session.observer.working_on(
      std::string(what) + " " + name_of(trial.call), done);
}

Detail why_wrong(const Bench& bench, const Trial& trial,
                 const Mismatch& wrong) {
  auto why = detail_of(wrong);
  const auto& variant = *trial.call.variant;
  if (variant.tunable("threads") != nullptr && !bench.session.plan.verify_only)
    why.further.push_back(because(
        Cause::may_be_race, "bin/parlab grade --check " + variant.source));
  return why;
}

}  // namespace parlab
