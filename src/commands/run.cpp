// `parlab WORKLOAD SIZES ...`: verifies, measures, records and prints.
#include <chrono>
#include <set>

#include "cli/run_request.hpp"
#include "cluster/shard.hpp"
#include "commands/emulate.hpp"
#include "commands/record_files.hpp"
#include "counters/counters.hpp"
#include "counters/device_code.hpp"
#include "counters/emulated.hpp"
#include "machine/memory.hpp"
#include "render/formats.hpp"
#include "render/words.hpp"
#include "report/console.hpp"
#include "report/reporter.hpp"
#include "sweep/interrupt.hpp"
#include "sweep/sweep.hpp"
#include "tune/best.hpp"

namespace parlab {
namespace {

void explain(const Points& points, const Streams& streams) {
  const auto reporter = make_explain_reporter(streams.out, streams.looks);
  for (const auto& point : points)
    reporter->point(point);
  reporter->finish();
}

bool any_emulated(const Points& points) {
  return std::ranges::any_of(points, [](const std::vector<Record>& point) {
    return std::ranges::any_of(point, &Record::emulated);
  });
}

// The points with their counters and, for emulation, the lines of each kernel.
struct CountedPoints {
  Points points;
  Document lines;
};

// The points are printed only once their counters are known.
int sweep_and_count(const Plan& plan, Console& console, Supervisor& supervisor,
                    const HowToCount& how, CountedPoints& counted) {
  KeptPoints kept(console);
  const int status = run_sweep(plan, kept, supervisor);
  // A worker that may start ncu; no variant runs there.
  if (status != exit_interrupted && supervisor.fenced())
    supervisor.start_afresh();
  if (status != exit_interrupted && any_emulated(kept.points)) {
    counted.lines = count_emulated(kept.points, how, console);
    for (auto& point : kept.points) {
      std::vector<Record*> records;
      for (auto& record : point)
        records.push_back(&record);
      append_counters(records, plan.results);
    }
  } else if (status != exit_interrupted) {
    counted.lines =
        add_counters(kept.points, plan.results, console, how.reports);
  }
  if (how.sass) {
    for (auto& section : device_code_of(kept.points, console))
      counted.lines.add(std::move(section));
  }
  for (const auto& point : kept.points)
    console.point(point);
  counted.points = std::move(kept.points);
  return status;
}

// The machine whose least times are requested. Throws UsageError.
std::optional<RecordedGpu> gpu_like(const Arguments& arguments) {
  const auto* setting = arguments.find("like");
  if (setting == nullptr) return std::nullopt;
  RecordedGpu gpu{.machine = setting->text, .ceilings = {}};
  for (const auto& [id, run] : load_all({setting->text}).runs)
    gpu.ceilings = best_of(gpu.ceilings, run.device);
  if (gpu.ceilings.read.empty())
    setting->refuse("its records have no ceilings of a GPU");
  return gpu;
}

std::vector<Group> groups_of_plan(const Plan& plan, Observer& observer) {
  return groups_of(*plan.workload, estimate_sweep(plan, observer));
}

// The groups that all shards together measure, from a file, or the plan's own.
// These are counted as if nothing were recorded, because every job must cut the
// same ones whenever it starts.
std::vector<Group> groups_to_cut(const std::string& file, Plan plan,
                                 Observer& observer) {
  if (!file.empty()) return read_groups(file);
  plan.results.clear();
  plan.resume.clear();
  return groups_of_plan(plan, observer);
}

// Leaves the plan one job's part of it, if --shard asks for one.
void keep_to_shard(const Arguments& arguments, Plan& plan, Observer& observer) {
  const auto* setting = arguments.find("shard");
  if (setting == nullptr) return;
  const auto shard = parse_shard(setting->name, setting->text);
  const auto groups = groups_to_cut(arguments.text("plan"), plan, observer);
  std::set<std::string> known;
  for (const auto& group : groups)
    known.insert(group.name);
  plan.wanted = [known, ours = groups_of_shard(groups, shard), shard,
                 workload = plan.workload](const Size& size, Dtype dtype) {
    const auto name = group_name(*workload, size, dtype);
    return known.count(name) > 0 ? ours.count(name) > 0 : falls_to(name, shard);
  };
}

int run_workload(const Arguments& arguments, const Streams& streams) {
  if (arguments.positional.empty()) {
    streams.warn(arguments.warnings);
    print_usage(streams.out, arguments);
    return EXIT_FAILURE;
  }
  const auto since = std::chrono::steady_clock::now();
  auto request = read_run(arguments);
  Plan& plan = request.plan;
  const auto tuned = file_asked_for(arguments, "tuned");
  const bool estimates = arguments.on("estimate");
  // This comes first: a process that has used a GPU, or has threads, cannot be
  // the parent of one that will use them.
  Supervisor supervisor;
  supervisor.repeats = !arguments.on("in-process") && !estimates;
  supervisor.fences = supervisor.repeats || !arguments.on("counters");
  if (supervisor.repeats) {
    if (const auto status = supervisor.start()) return *status;
  }
  emulate_if_needed(request, arguments.words);
  if (!request.best.empty()) {
    for (const auto& note : use_best(request.best, tuned, plan))
      request.warnings.push_back(words(note));
  }
  if (supervisor.first_worker()) streams.warn(request.warnings);
  plan.memory_bytes = free_memory_bytes();
  // Output of earlier workers is not printed again.
  std::ostream out(nullptr), messages(nullptr);
  supervisor.caught_up = [&] {
    out.rdbuf(streams.out.rdbuf());
    messages.rdbuf(streams.messages.rdbuf());
  };
  if (supervisor.first_worker()) supervisor.caught_up();
  const auto reporter = make_reporter(request.format, out,
                                      {.looks = streams.looks,
                                       .legend = arguments.on("legend"),
                                       .since = since});
  Console console(*reporter, messages);
  keep_to_shard(arguments, plan, console);
  if (estimates) {
    write_groups(streams.out, groups_of_plan(plan, console));
    return EXIT_SUCCESS;
  }
  const bool counts = arguments.on("counters"), sass = arguments.on("sass");
  if (sass) require_disassemblers();
  const HowToCount how_to_count{.pictures = arguments.text("pictures"),
                                .like = gpu_like(arguments),
                                .registers = arguments.on("registers"),
                                .sass = sass,
                                .reports = arguments.text("keep-report")};
  CountedPoints counted;
  const int status =
      counts ? sweep_and_count(plan, console, supervisor, how_to_count, counted)
             : run_sweep(plan, console, supervisor);
  reporter->finish();
  if (!out) streams.out.setstate(out.rdstate());
  if (counts && request.format == "table" &&
      (counted.lines.blocks.empty() || !any_emulated(counted.points)))
    explain(counted.points, streams);
  if (request.format == "json") streams.out << json_lines(counted.lines);
  if (request.format == "table" && !counted.lines.blocks.empty())
    streams.out << '\n' << formatted(counted.lines, streams.looks);
  return status;
}

const CommandRegistration run_command(
    {.name = "", .options = run_options, .run = run_workload, .warns = true});

}  // namespace
}  // namespace parlab
