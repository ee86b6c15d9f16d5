#include "sweep/sweep.hpp"

#include <omp.h>

#include <algorithm>
#include <optional>

#include "core/text.hpp"
#include "machine/pinning.hpp"
#include "machine/topology.hpp"
#include "places/presence.hpp"
#include "sweep/emulated_size.hpp"
#include "sweep/interrupt.hpp"
#include "sweep/phases.hpp"

namespace parlab {
namespace {

// Limits for emulating all variants of a size on all kinds of inputs. Above the
// second, a note gives the expected time.
constexpr double seconds_to_emulate = 300, long_to_emulate = 10;

// Chooses the size at which a point is emulated. Notes if it is another size or
// takes long.
void choose_size(PointPlan& point, const Plan& plan, Observer& observer) {
  const auto& workload = *plan.workload;
  const double executions =
      static_cast<double>(std::size(input_kinds) * point.variants.size());
  point.size = size_to_emulate(workload, point.asked, point.dtype,
                               seconds_to_emulate / executions);
  const auto seconds = [&](const Size& size) {
    return quantity(
        executions * emulated_seconds(workload.work(size, point.dtype)),
        Unit::second);
  };
  const auto takes = seconds(point.size);
  if (point.size != point.asked) {
    observer.note(
        because(Cause::smaller_emulated, size_text(workload, point.size), takes,
                size_text(workload, point.asked), seconds(point.asked)));
  } else if (takes.value > long_to_emulate) {
    observer.note(
        because(Cause::long_emulation, size_text(workload, point.size), takes));
  }
}

// A small size whose extents all differ.
Size small_rectangle(const Workload& workload, Size size) {
  for (std::size_t i = 0; i < count_extents(workload); ++i)
    size[i] = 33 + 34 * static_cast<std::int64_t>(i);
  return with_other_parameters(workload, size);
}

Size small_square(const Workload& workload, Size size) {
  std::fill_n(size.begin(), count_extents(workload), 33);
  return with_other_parameters(workload, size);
}

// Splits the plan into parts, one for each wanted size and dtype. Where CUDA
// variants are emulated, the CPU's part has the full size and the emulated part
// a size that ends in reasonable time. Parts of one point share its number.
std::vector<PointPlan> split(const Plan& plan, const Places& places,
                             Observer& observer) {
  const bool emulating = places.emulating();
  std::vector<PointPlan> parts;
  std::size_t points = 0;
  const auto square = [&](const Size& size) {
    return is_square(*plan.workload, size);
  };
  auto sizes = plan.sizes;
  std::size_t first_asked = 0;
  if (emulating && plan.tries_more) {
    const auto squares = std::ranges::count_if(sizes, square);
    if (count_extents(*plan.workload) == 1) {
      if (!plan.workload->parameters().empty()) {
        sizes.push_back(with_other_parameters(*plan.workload, sizes.back()));
        observer.note(because(Cause::parameters_emulated,
                              size_text(*plan.workload, sizes.back())));
      }
    } else if (squares == std::ssize(sizes) ||
               (squares > 0 && !plan.workload->parameters().empty())) {
      sizes.push_back(small_rectangle(*plan.workload, sizes.back()));
      observer.note(because(Cause::rectangle_emulated,
                            size_text(*plan.workload, sizes.back())));
    } else if (const auto small = small_square(*plan.workload, sizes.front());
               squares == 0 && square(small)) {
      sizes.insert(sizes.begin(), small);
      first_asked = 1;
      observer.note(
          because(Cause::square_emulated, size_text(*plan.workload, small)));
    }
  }
  if (emulating && plan.tries_more) {
    auto others = plan.dtypes_left_out;
    std::erase_if(others, [&](Dtype dtype) {
      return std::ranges::none_of(plan.variants, [&](const Variant* variant) {
        return variant->needs_gpu() && variant->has(dtype);
      });
    });
    if (!others.empty())
      observer.note(
          because(Cause::types_not_tried, join(others, ",", as_text)));
  }
  for (const auto& size : sizes) {
    const auto index = static_cast<std::size_t>(&size - sizes.data());
    const bool was_asked =
        index >= first_asked && index < first_asked + plan.sizes.size();
    for (const auto dtype : plan.dtypes) {
      if (plan.wanted && !plan.wanted(size, dtype)) continue;
      const auto number = points++;
      PointPlan timed{.size = size,
                      .dtype = dtype,
                      .number = number,
                      .asked = size,
                      .also_tried = !was_asked};
      PointPlan emulated = timed;
      for (const auto* variant : plan.variants) {
        if (!variant->has(dtype)) continue;
        (emulating && variant->needs_gpu() ? emulated : timed)
            .variants.push_back(variant);
      }
      if (was_asked && !timed.variants.empty()) parts.push_back(timed);
      if (emulated.variants.empty()) continue;
      choose_size(emulated, plan, observer);
      parts.push_back(emulated);
    }
  }
  return parts;
}

bool anything_wanted(const Plan& plan) {
  if (!plan.wanted) return true;
  return std::ranges::any_of(plan.sizes, [&](const Size& size) {
    return std::ranges::any_of(
        plan.dtypes, [&](Dtype dtype) { return plan.wanted(size, dtype); });
  });
}

// CPU times can be trusted only on an idle machine.
void note_others_at_work(Run& run, Observer& observer) {
  run.others_at_work = others_at_work();
  if (run.others_at_work == 0) return;
  observer.note(because(Cause::others_at_work, run.others_at_work));
}

bool needs_gpu(const Plan& plan) {
  return std::ranges::any_of(plan.variants, [](const Variant* variant) {
    return variant->needs_gpu();
  });
}

// A sweep of the CPU alone does not start CUDA just to name its machine.
Run run_of(const Plan& plan) {
  return describe_run(plan.command,
                      needs_gpu(plan) ? gpus_present() : gpus_by_name(),
                      plan.machine);
}

Places places_of(const Plan& plan) {
  const bool asked = plan.devices != std::vector<int>{0};
  return {plan.variants, needs_gpu(plan) || asked
                             ? devices_of(plan.devices, plan.emulate)
                             : plan.devices};
}

}  // namespace

std::vector<Estimate> estimate_sweep(const Plan& plan, Observer& observer) {
  Places places = places_of(plan);
  Session session{plan, places, observer, unsupervised(), run_of(plan)};
  session.read_elsewhere();
  std::vector<Estimate> estimates;
  std::optional<std::size_t> point;
  for (const auto& part : split(plan, places, observer)) {
    if (point != part.number) estimates.push_back({part.asked, part.dtype});
    point = part.number;
    const auto of_part = estimate_point(session, part);
    estimates.back().measurements += of_part.measurements;
    estimates.back().seconds += of_part.seconds;
  }
  return estimates;
}

int run_sweep(const Plan& plan, Observer& observer, Supervisor& supervisor) {
  if (!anything_wanted(plan)) return 0;  // everything belongs to other shards
  Places places = places_of(plan);
  return run_sweep(plan, observer, places, supervisor);
}

int run_sweep(const Plan& plan, Observer& observer, Places& places,
              Supervisor& supervisor) {
  const InterruptGuard guard;
  // Inputs and oracles need teams of threads, too.
  if (const auto why = why_no_team(
          std::min(omp_get_max_threads(), omp_get_thread_limit()))) {
    throw ExplainedError(why);
  }
  Session session{plan, places, observer, supervisor, run_of(plan)};
  const auto on_host = [](const Variant* variant) {
    return variant->target == Target::host;
  };
  if (!plan.verify_only && std::ranges::any_of(plan.variants, on_host)) {
    note_others_at_work(session.run, observer);
  }
  session.run.node = plan.node;
  if (supervisor.run()) session.run = *supervisor.run();
  observer.run(session.run);
  if (!plan.results.empty())
    session.open_store();
  else if (!plan.force)
    session.read_elsewhere();

  const auto parts = split(plan, places, observer);
  std::size_t measurements = 0;
  for (const auto& part : parts)
    measurements += count_measurements(plan, places, part);
  observer.plan(measurements);

  const Stop stop = [&] {
    return was_interrupted() || supervisor.interrupted();
  };
  for (const auto& points : supervisor.completed())
    repeat_point(session, points);
  if (supervisor.alone().empty()) supervisor.caught_up();
  for (auto i = supervisor.completed().size(); i < parts.size() && !stop();
       ++i) {
    if (!supervisor.fence()) session.note_once({.cause = Cause::no_fence});
    const auto points = run_point(session, parts[i], stop);
    // earlier workers completed those before
    if (i == supervisor.completed().size()) {
      for (const auto& detail : supervisor.cleared())
        session.note_once(detail);
    }
    if (!stop()) supervisor.complete(session.run, points);
  }
  if (session.recorded_before > 0) {
    auto files = plan.resume;
    if (!plan.results.empty()) files.insert(files.begin(), plan.results);
    observer.note(because(Cause::recorded_before, session.recorded_before,
                          session.done, join(files, ", ")));
  }
  if (stop()) {
    observer.note({.cause = plan.results.empty() ? Cause::interrupted
                                                 : Cause::interrupted_goes_on});
    return exit_interrupted;
  }
  // Lack of memory or of a device is a failure of the sweep only if nothing
  // else was asked for. Smaller sizes may be in another shard, but a device
  // cannot.
  const bool whole = !plan.wanted;
  const auto ran = [&](const Size& size) {
    return session.passed_at.contains(size);
  };
  const bool nothing_ran = std::ranges::none_of(plan.sizes, ran) &&
                           (session.no_device || (whole && session.too_large));
  const bool replaced = std::ranges::any_of(parts, [&](const PointPlan& part) {
    return part.size != part.asked && !ran(part.asked);
  });
  return session.failed || nothing_ran || replaced ? 1 : 0;
}

}  // namespace parlab
