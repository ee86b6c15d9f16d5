#include "sweep/listing.hpp"

#include <omp.h>

#include <algorithm>

#include "host/blas_in_use.hpp"
#include "machine/topology.hpp"
#include "places/partition.hpp"
#include "sweep/emulated_size.hpp"

namespace parlab {
namespace {

// As planned, with 0 threads (all cores) replaced by the number.
std::vector<TunableValues> configurations_at(const Plan& plan,
                                             const PointPlan& point,
                                             const Variant& variant) {
  auto all = plan.choose ? plan.choose(variant, point.size, point.dtype)
                         : configurations(plan, variant);
  std::vector<TunableValues> different;
  for (auto& tunables : all) {
    if (const auto threads = tunables.find("threads");
        threads != tunables.end()) {
      if (threads->second == 0) threads->second = physical_cores();
      threads->second =
          std::min<std::int64_t>(threads->second, omp_get_thread_limit());
    }
    if (std::ranges::find(different, tunables) == different.end()) {
      different.push_back(std::move(tunables));
    }
  }
  return different;
}

// Without timing, one cache state tells as much as two. place: null where
// nothing can run.
std::vector<Cache> caches_of(const Plan& plan, const Place* place) {
  const bool timed =
      place == nullptr || (place->executor->can_time() && !plan.verify_only);
  return {plan.caches.begin(),
          timed ? plan.caches.end() : plan.caches.begin() + 1};
}

// Set if the team of threads is smaller than asked for, or has fewer CPUs.
Detail why_fewer_threads(const Plan& plan, const TunableValues& tunables) {
  const auto asked = plan.tunables.find("threads");
  if (asked == plan.tunables.end() ||
      tunables.find("threads") == tunables.end()) {
    return {};
  }
  const auto most = *std::ranges::max_element(asked->second);
  if (most > omp_get_thread_limit()) {
    return because(Cause::thread_limit, omp_get_thread_limit());
  }
  if (most <= cpus_allowed()) return {};
  return because(Cause::threads_share_cpus, most, cpus_allowed());
}

// 0 GPUs mean as many as pay off. Emulated teams are not timed, so they get all
// GPUs.
void choose_gpus(Session& session, const Place& place, Call& call) {
  const auto team = call.tunables.find("gpus");
  if (team == call.tunables.end() || team->second != 0) return;
  const int all = place.executor->gpus();
  team->second = place.can_time()
                     ? gpus_that_pay(*session.plan.workload, *call.variant,
                                     call.size, call.dtype, all)
                     : all;
  if (team->second < all) {
    session.note_once(because(
        Cause::one_gpu_is_as_fast, call.variant->full_name(),
        Quantity{.value = call.variant->pays_from, .unit = Unit::byte}, all));
  }
}

// Whether the variant declares that it takes this size.
bool takes(const Session& session, const Variant& variant, const Size& size) {
  const auto extents = size.begin() + count_extents(*session.plan.workload);
  return std::all_of(size.begin(), extents, [&](std::int64_t extent) {
    return extent % variant.multiple_of == 0;
  });
}

Trial trial_of(Session& session, const PointPlan& point, const Variant& variant,
               const TunableValues& tunables) {
  Trial trial{.call = {.variant = &variant,
                       .size = point.size,
                       .dtype = point.dtype,
                       .tunables = tunables}};
  if (point.also_tried) {
    trial.about_size = {.cause = Cause::also_tried};
  } else if (point.size != point.asked) {
    trial.about_size = because(Cause::in_place_of,
                               size_text(*session.plan.workload, point.asked));
  }
  Place& place = session.places.of(variant, point.number);
  if (place.usable()) {
    trial.place = &place;
    choose_gpus(session, place, trial.call);
  }
  trial.call.expected_s = rough_seconds(session.plan, trial);
  recall(session, trial);
  if (trial.verdict != Verdict::unverified) return trial;
  if (trial.place == nullptr) {
    trial.end(Verdict::no_device, place.why_not);
  } else if (!place.can_time() && !variant.hardware.empty()) {
    trial.end(Verdict::not_supported,
              because(Cause::cannot_be_emulated, variant.hardware));
  } else if (!takes(session, variant, point.size)) {
    trial.end(Verdict::not_supported,
              because(Cause::needs_multiples, variant.multiple_of));
  }
  return trial;
}

// Whether the old record can stand for a new measurement.
bool still_holds(Session& session, const Trial& trial, const Record& old) {
  // A configuration that was skipped is measured if the limit now allows it.
  const bool skipped = old.verdict == Verdict::timed_out && !was_endless(old);
  if (skipped && trial.verdict != Verdict::timed_out) return false;
  // The roof was too slow, because other programs were at work.
  if (old.verdict == Verdict::passed &&
      old.detail.cause == Cause::others_at_work)
    return false;
  const auto& iterations = session.plan.iterations;
  if (iterations && old.timed() && std::ssize(old.seconds) != *iterations)
    return false;
  // Nothing else gets joules, even when asked.
  const bool has_joules =
      old.cache == Cache::hot && !trial.call.variant->needs_team();
  if (session.plan.energy && has_joules && old.timed() && !old.energy)
    return false;
  // Another library has other times.
  if (uses_host_blas(trial) && old.verdict == Verdict::passed &&
      !old.library.empty()) {
    if (!is_blas_in_use(old.library)) return false;
    session.note_blas();
  }
  return true;
}

Pending pending_of(Session& session, Trial& trial, Cache cache,
                   InputKind inputs) {
  Pending pending{.trial = &trial,
                  .record = blank_record(session, trial, cache, inputs)};
  const auto& known = session.supervisor.known();
  const auto found = known.find(pending.record.key());
  const Record* old =
      found != known.end() ? &found->second : session.recorded(pending.record);
  if (old == nullptr ||
      (found == known.end() && !still_holds(session, trial, *old)))
    return pending;
  session.learn(*old);
  session.count(*old);
  pending.record = *old;
  pending.recorded_before = true;
  return pending;
}

}  // namespace

Listing list_point(Session& session, const PointPlan& point) {
  Listing listing;
  for (const auto* variant : point.variants) {
    for (const auto& tunables :
         configurations_at(session.plan, point, *variant)) {
      if (const auto why = why_fewer_threads(session.plan, tunables))
        session.note_once(why);
      auto trial = trial_of(session, point, *variant, tunables);
      const auto alone = session.supervisor.alone();
      if (alone.empty() || alone == name_of(trial.call))
        listing.trials.push_back(std::move(trial));
    }
  }
  for (const auto inputs : session.plan.inputs) {
    for (const auto cache : session.plan.caches) {
      for (auto& trial : listing.trials) {
        const auto caches = caches_of(session.plan, trial.place);
        if (std::ranges::find(caches, cache) != caches.end())
          listing.pending.push_back(pending_of(session, trial, cache, inputs));
      }
    }
  }
  return listing;
}

Estimate estimate_point(Session& session, const PointPlan& point) {
  const auto& plan = session.plan;
  Estimate estimate{point.size, point.dtype};
  const Listing listing = list_point(session, point);
  for (const auto& pending : listing.pending) {
    if (pending.recorded_before) continue;
    ++estimate.measurements;
    const double once_s =
        std::min(rough_seconds(plan, *pending.trial), plan.point_limit_s);
    constexpr double verifications = 3;
    estimate.seconds += verifications * once_s;
    if (!is_timed(plan, *pending.trial)) continue;
    estimate.seconds +=
        plan.iterations ? *plan.iterations * once_s : plan.time_limit_s;
    if (plan.energy && pending.record.cache == Cache::hot)
      estimate.seconds += plan.energy_time_s.value_or(energy_seconds_expected);
  }
  return estimate;
}

std::size_t count_measurements(const Plan& plan, Places& places,
                               const PointPlan& point) {
  std::size_t count = 0;
  for (const auto* variant : point.variants) {
    const Place& place = places.of(*variant, point.number);
    count += configurations_at(plan, point, *variant).size() *
             caches_of(plan, place.usable() ? &place : nullptr).size() *
             plan.inputs.size();
  }
  return count;
}

bool is_timed(const Plan& plan, const Trial& trial) {
  return trial.place != nullptr && trial.place->executor->can_time() &&
         !plan.verify_only;
}

std::string name_of(const Call& call) {
  const auto tunables = to_string(call.tunables);
  return call.variant->full_name() + " " + std::string(to_string(call.dtype)) +
         " " + size_text(call.variant->workload, call.size) +
         (tunables.empty() ? "" : " ") + tunables;
}

Record blank_record(const Session& session, const Trial& trial, Cache cache,
                    InputKind inputs) {
  const auto& [of, size, dtype, tunables, expected_s, at_most_s] = trial.call;
  const Variant& variant = *of;
  const Workload& workload = *session.plan.workload;
  Record record;
  record.workload = variant.workload;
  record.backend = variant.backend;
  record.variant = variant.name;
  for (const auto name : workload.dimensions())
    record.dimensions.emplace_back(name);
  record.size = size;
  record.dtype = dtype;
  record.unit = variant.unit(dtype);
  record.arithmetic = variant.arithmetic_in(dtype);
  record.tunables = tunables;
  record.cache = cache;
  record.inputs = inputs;
  record.source = variant.source;
  record.source_hash = variant.source_hash;
  const Work work = workload.work(size, dtype);
  record.flops = work.flops;
  record.bytes = work.bytes;
  record.run = session.run.id;
  record.from_host = variant.from_host();
  if (trial.place != nullptr) {
    record.emulated = !trial.place->executor->can_time();
    record.gpu = trial.place->gpu.uuid;
  }
  return record;
}

void recall(Session& session, Trial& trial) {
  const auto variant = trial.call.variant->full_name();
  if (const auto* ended = session.supervisor.ended(name_of(trial.call))) {
    trial.end(ended->verdict, ended->why);
    return compare_with_square(session, trial);
  }
  if (const auto* why = session.supervisor.endless(variant))
    session.endless.emplace(variant, *why);
  const auto slow = session.too_slow.find(
      configuration(variant, trial.call.tunables, trial.call.dtype));
  const auto endless = session.endless.find(variant);
  if (endless != session.endless.end()) {
    trial.end(Verdict::timed_out, endless->second);
  } else if (slow != session.too_slow.end()) {
    trial.end(Verdict::timed_out, slow->second);
  }
}

bool is_wrong_value(Cause cause) {
  return cause == Cause::wrong_element || cause == Cause::not_exact ||
         cause == Cause::left_out || cause == Cause::not_kept ||
         cause == Cause::not_a_number;
}

void compare_with_square(Session& session, Trial& trial) {
  const auto name = trial.call.variant->full_name();
  const auto& workload = *session.plan.workload;
  const bool one_extent = count_extents(workload) == 1;
  if (one_extent ? trial.about_size.cause != Cause::also_tried
                 : is_square(workload, trial.call.size)) {
    if (trial.passed()) {
      session.right_at_square[name] = trial.call.size;
    } else {  // it may have passed with other inputs
      session.right_at_square.erase(name);
    }
    return;
  }
  // Rows and columns are told apart where another rectangle is right.
  if (!one_extent && trial.passed()) session.right_at_rectangle.insert(name);
  if (session.right_at_rectangle.contains(name)) return;
  const auto square = session.right_at_square.find(name);
  if (!is_wrong_value(trial.detail.cause) ||
      square == session.right_at_square.end())
    return;
  const auto extents = static_cast<std::ptrdiff_t>(count_extents(workload));
  const bool same_parameters =
      std::equal(square->second.begin() + extents, square->second.end(),
                 trial.call.size.begin() + extents);
  trial.detail.further.push_back(
      because(one_extent        ? Cause::passed_at_parameters
              : same_parameters ? Cause::passed_at_square
                                : Cause::passed_with_other_parameters,
              size_text(workload, square->second)));
}

double rough_seconds(const Plan& plan, const Trial& trial) {
  // flop or bytes per second
  constexpr double core = 1e9, gpu = 1e12;
  const auto& [variant, size, dtype, tunables, expected_s, at_most_s] =
      trial.call;
  const Work work = plan.workload->work(size, dtype);
  if (variant->needs_gpu() && trial.place != nullptr &&
      !trial.place->can_time()) {
    return emulated_seconds(work);
  }
  double rate = core;
  if (variant->needs_gpu()) {
    rate = gpu;
  } else if (variant->backend != "serial") {
    rate *= static_cast<double>(tunables.value_or("threads", physical_cores()));
  }
  return (work.flops + work.bytes) / rate;
}

bool uses_host_blas(const Trial& trial) {
  return trial.call.variant->backend == "blas" && trial.place != nullptr &&
         trial.place->target == Target::host;
}

std::vector<Place*> places_in_use(const Listing& listing) {
  std::vector<Place*> places;
  for (const auto& pending : listing.pending) {
    auto* place = pending.trial->place;
    if (place == nullptr || !place->usable() || pending.recorded_before ||
        pending.trial->verdict == Verdict::timed_out) {
      continue;
    }
    if (std::ranges::find(places, place) == places.end())
      places.push_back(place);
  }
  return places;
}

}  // namespace parlab
