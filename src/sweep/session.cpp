#include "sweep/session.hpp"

#include <algorithm>
#include <filesystem>

#include "facts/cause.hpp"
#include "host/blas_in_use.hpp"
#include "machine/energy_meter.hpp"
#include "machine/roof.hpp"
#include "record/packed.hpp"

namespace parlab {
namespace {

// The ceilings that a plan's problems need, on the host or on GPUs.
WantedCeilings wanted_by(const Plan& plan, Target target) {
  std::optional<WantedCeilings> wanted;
  for (const auto* variant : plan.variants) {
    if (variant->target != target) continue;
    for (const auto dtype : plan.dtypes) {
      if (!variant->has(dtype)) continue;
      for (const auto& size : plan.sizes) {
        for (const auto cache : plan.caches) {
          const auto one = wanted_for(plan.workload->work(size, dtype),
                                      variant->unit(dtype), cache);
          if (!wanted) wanted = one;
          wanted->include(one);
        }
      }
    }
  }
  return wanted.value_or(WantedCeilings{});
}

std::string name_for_ceilings(const Place& place) {
  return place.target == Target::host ? "" : place.gpu.uuid;
}

}  // namespace

bool is_square(const Workload& workload, const Size& size) {
  const auto extents = count_extents(workload);
  return extents > 1 && std::all_of(size.begin(), size.begin() + extents,
                                    [&](auto n) { return n == size.front(); });
}

std::string configuration(const std::string& variant,
                          const TunableValues& tunables, Dtype dtype) {
  return variant + " " + to_string(tunables) + " " +
         std::string(to_string(dtype));
}

void Session::open_store() {
  store = std::make_unique<Store>(plan.results, run);
  for (const auto& warning : store->warnings())
    observer.note(other(warning));
  if (plan.force) return;
  for (const auto& [id, known] : store->runs())
    observer.run(known);
  read_elsewhere();
}

void Session::read_elsewhere() {
  auto paths = plan.resume;
  if (!store && !plan.results.empty()) paths.push_back(plan.results);
  Loaded all;
  for (const auto& path : paths) {
    // nothing has been recorded yet
    if (parts_of(path).empty()) continue;
    all.add(load_records(path));
  }
  for (const auto& warning : all.warnings)
    observer.note(other(warning));
  elsewhere = settled(std::move(all), run, true);
}

const Record* Session::recorded(const Record& record) const {
  if (plan.force) return nullptr;
  const auto key = record.key();
  for (const auto* known : {store ? &store->done() : nullptr, &elsewhere}) {
    if (known == nullptr) continue;
    const auto found = known->find(key);
    if (found != known->end()) return &found->second;
  }
  return nullptr;
}

void Session::count(const Record& record) {
  if (record.verdict == Verdict::passed) passed_at.insert(record.size);
  too_large |= record.verdict == Verdict::out_of_memory;
  no_device |= record.verdict == Verdict::no_device;
  failed |= parlab::failed(record);
  recorded_before += record.run != run.id;
  ++done;
}

void Session::note_time(const std::string& configuration, const Size& size,
                        double seconds) {
  if (seconds <= plan.point_limit_s) return;
  too_slow.emplace(configuration,
                   because(Cause::skipped, size_text(*plan.workload, size),
                           quantity(seconds, Unit::second),
                           quantity(plan.point_limit_s, Unit::second)));
}

void Session::learn(const Record& record) {
  const auto of =
      configuration(record.full_name(), record.tunables, record.dtype);
  if (record.timed()) note_time(of, record.size, record.summary().median);
  if (record.verdict == Verdict::passed &&
      is_square(*plan.workload, record.size)) {
    right_at_square[record.full_name()] = record.size;
  }
  if (was_endless(record)) {
    endless.emplace(record.full_name(), record.detail);
  } else if (record.verdict == Verdict::timed_out) {
    too_slow.emplace(of, record.detail);
  }
}

void Session::lose(Place& place, const Detail& why) {
  place.why_not = why;
  failed = true;
}

// Ceilings are kept with the records of the machine and measured in full, once.
// A run that keeps nothing measures only the ceilings that its own problems
// need.
Ceilings Session::ceilings_of(Place& place) {
  const std::string gpu = name_for_ceilings(place);
  const auto* known = stored_ceilings->find(gpu);
  const char* link = place.target == Target::team      ? link_between_gpus
                     : place.target == Target::streams ? link_to_host
                                                       : nullptr;
  const bool links_known =
      link == nullptr || (known && known->links.count(link) > 0);
  if (known != nullptr && links_known) return *known;
  const auto note = [&](Cause what, const std::string& gpu_name = {}) {
    if (keeps_ceilings()) observer.note(because(what, gpu_name));
  };
  Ceilings ceilings;
  if (known != nullptr) {
    ceilings = *known;
  } else {
    note(gpu.empty() ? Cause::measuring_host : Cause::measuring_gpu,
         place.gpu.name);
    ceilings = keeps_ceilings()
                   ? place.executor->ceilings()
                   : place.executor->ceilings(wanted_by(plan, place.target));
  }
  if (!links_known) {
    note(place.target == Target::team ? Cause::measuring_links
                                      : Cause::measuring_host_link);
    try {
      for (const auto& [name, rate] : links_of(place))
        ceilings.links[name] = rate;
    } catch (const PointError& error) {
      observer.note(
          {.cause = Cause::links_not_measured, .further = {error.detail}});
    }
  }
  if (keeps_ceilings()) stored_ceilings->keep(gpu, ceilings);
  return ceilings;
}

// If this does not return, the supervisor kills it, and no later worker tries
// again.
std::map<std::string, double> Session::links_of(Place& place) {
  constexpr double seconds_at_most = 180;
  const std::string call = place.target == Target::team
                               ? "measuring the links between the GPUs"
                               : "measuring the link to the host";
  if (const auto* ended = supervisor.ended(call))
    throw PointError(ended->verdict, ended->why);
  const Supervisor::Execution execution(supervisor, call, seconds_at_most);
  return place.executor->links();
}

bool Session::keeps_ceilings() const {
  return std::filesystem::path(plan.results).has_parent_path();
}

void Session::raise_ceilings(Place& place, const WantedCeilings& wanted) {
  const auto& given =
      place.target == Target::host ? plan.host_ceilings : plan.device_ceilings;
  if (given) return;
  Ceilings again = place.executor->ceilings(wanted);
  if (place.target == Target::streams) again.links = links_of(place);
  place.ceilings = best_of(place.ceilings, again);
  if (!keeps_ceilings()) return;
  // Another place of the same GPU may have stored links already.
  const auto gpu = name_for_ceilings(place);
  const auto* stored = stored_ceilings->find(gpu);
  stored_ceilings->keep(
      gpu, stored ? best_of(*stored, place.ceilings) : place.ceilings);
}

EnergyGauge& Session::gauge_of(Place& place, const Stop& stop) {
  const bool host = place.target == Target::host;
  Detail others;
  if (const int count = host ? run.others_at_work : run.others_on_gpu) {
    others = because(
        host ? Cause::threads_of_others : Cause::programs_of_others, count);
  }
  const auto [found, is_new] = gauges.try_emplace(
      &place, *place.executor, others, stop, plan.energy_time_s);
  auto& gauge = found->second;
  if (is_new && gauge.absent() && !stop()) {
    observer.note({.cause = Cause::no_energy_of,
                   .arguments = {host ? "the host" : place.gpu.name},
                   .further = {gauge.absent()}});
  }
  return gauge;
}

void Session::note_once(const Detail& detail) {
  if (noted.insert(to_string(detail)).second) observer.note(detail);
}

void Session::note_blas() {
  if (const auto advice = blas_advice()) note_once(advice);
}

// Subtract this program from those on the GPU.
void Session::note_others_on(const GpuFacts& gpu) {
  const int others = programs_on_gpu(gpu.uuid).value_or(1) - 1;
  if (others < 1) return;
  run.others_on_gpu = std::max(run.others_on_gpu, others);
  note_once(because(Cause::others_use_gpu, gpu.device, gpu.name, others));
}

void Session::know_ceilings() {
  if (ceilings_known) return;
  ceilings_known = true;
  stored_ceilings.emplace(ceilings_file(plan.results, run.machine), run);
  for (auto& place : places.all()) {
    if (!place.can_time()) continue;
    const bool host = place.target == Target::host;
    if (place.target == Target::team) {
      for (const auto& gpu : run.gpus)
        note_others_on(gpu);
    } else if (!host) {
      note_others_on(place.gpu);
    }
    const auto& known = host ? plan.host_ceilings : plan.device_ceilings;
    Ceilings& of_run = host ? run.host : run.device;
    // An earlier worker has measured them. With several GPUs the run has only
    // those of the first.
    const bool alone =
        host || (place.target == Target::gpu && plan.devices.size() == 1);
    const bool from_run = !of_run.read.empty() && alone;
    place.ceilings = known ? *known : from_run ? of_run : ceilings_of(place);
    if (of_run.read.empty()) of_run = place.ceilings;
    for (const auto& [link, rate] : place.ceilings.links) {
      auto& best = of_run.links[link];
      best = std::max(best, rate);
    }
  }
  observer.run(run);  // now with its ceilings
  // The run is already in the file if an earlier worker stored records.
  if (store && store->runs().count(run.id) == 0) store->describe(run);
}

}  // namespace parlab
