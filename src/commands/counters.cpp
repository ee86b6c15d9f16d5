// `parlab counters`: compares emulation's counts with a GPU's, from records or
// for a point that is counted now.

#include <algorithm>
#include <mutex>

#include "cli/record_filter.hpp"
#include "commands/emulate.hpp"
#include "commands/record_files.hpp"
#include "core/file.hpp"
#include "core/parallel.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "counters/emulated.hpp"
#include "counters/ncu.hpp"
#include "counters/pairs.hpp"
#include "machine/topology.hpp"
#include "places/presence.hpp"
#include "record/store.hpp"
#include "render/formats.hpp"
#include "render/words.hpp"
#include "report/console.hpp"
#include "sweep/emulated_size.hpp"

namespace parlab {
namespace {

// The share of pairs that must agree.
constexpr double enough = 0.9;

struct Compared {
  Record record;  // with the counters of the GPU
  std::vector<CounterPair> pairs = {};
  Detail why_none = {};
};

Options counters_options() {
  return filter_options() + run_options({"format"}) +
         Options{{.flag = "all", .help = "pairs that agree, too"},
                 {.flag = "check",
                  .help = "exit status 1 when fewer than nine of ten agree"}};
}

// The run of a workload that the arguments name, with its counters.
std::vector<std::string> run_of(const Arguments& arguments) {
  std::vector<std::string> words{arguments.words.front()};
  words.insert(words.end(), arguments.positional.begin(),
               arguments.positional.end());
  for (const auto& [flag, setting] : arguments.by_flag) {
    if (flag == "all" || flag == "check" || !setting.from_command_line)
      continue;
    words.push_back("--" + flag);
    words.push_back(setting.text);
  }
  words.push_back("--counters");
  return words;
}

UsageError emulation_missing() {
  return UsageError("counters: emulation is missing; 'make' builds it");
}

// Why a GPU cannot count here.
Detail why_not_on_gpu() {
  if (const auto why = why_no_gpu())
    return {.cause = Cause::no_counters_here,
            .further = {*why, {.cause = Cause::needs_gpu_and_ncu}}};
  try {
    find_ncu();
  } catch (const NoCountersHere& reason) {
    return {.cause = Cause::no_counters_here, .further = {reason.detail}};
  }
  return {};
}

// Counts a point on a GPU with ncu, then by emulation; each in a process of its
// own.
int count_now(const Arguments& arguments, const Streams& streams) {
  auto run = run_of(arguments);
  if (const auto why = why_not_on_gpu()) {
    streams.messages << "parlab: " << words(why)
                     << "; these are the counts of emulation\n"
                     << std::flush;
    run.emplace_back("--emulate");
    if (!become_emulated(run)) throw emulation_missing();
    const auto emulated = read_arguments(run, environment_of_process());
    return call(emulated, streams);
  }
  const Temporary folder(new_temporary_folder("parlab-counters"));
  const auto self = this_program().string(),
             file = (folder.path() / "counted.jsonl").string();
  run.front() = self;
  run.insert(run.end(),
             {"--results", file, "--backend", "cuda", "--time-limit", "0.01"});
  const auto counted = output_of(run);
  if (!counted.succeeded)
    throw PointError(Verdict::launch_failed, other(counted.text));
  std::vector<std::string> compare{self, "counters", file, "--all"};
  if (const auto format = arguments.text("format"); !format.empty())
    compare.insert(compare.end(), {"--format", format});
  if (arguments.on("check")) compare.emplace_back("--check");
  const auto compared = output_of(compare);
  streams.out << compared.text;
  return compared.succeeded ? EXIT_SUCCESS : EXIT_FAILURE;
}

void compare(Compared& one) {
  // The GPU may run different code.
  if (const auto* const variant = variant_of(one.record);
      variant != nullptr && variant->asks_for_emulation) {
    one.why_none = {.cause = Cause::asks_for_emulation};
    return;
  }
  try {
    const auto counted =
        counted_by_emulation(one.record, shape_of_gpu(one.record));
    one.pairs = pairs_of(counters_of(counted), one.record.counters);
  } catch (const PointError& error) {
    one.why_none = error.detail;
  }
}

// Says how long it takes, and shows progress.
void count_all(std::vector<Compared>& all, std::ostream& messages) {
  double seconds = 0;
  for (const auto& [record, pairs, why] : all) {
    if (const auto* workload = Registry::instance().workload(record.workload))
      seconds += emulated_seconds(workload->work(record.size, record.dtype));
  }
  seconds /= static_cast<double>(physical_cores());
  messages << "parlab: counting " << all.size() << " records by emulation: ";
  messages << "about " << time_span(seconds) << std::endl;
  Progress progress(messages);
  progress.start(all.size());
  std::mutex one_at_a_time;
  double done = 0;
  on_all_cores(all.size(), [&](std::size_t i) {
    compare(all[i]);
    const std::scoped_lock lock(one_at_a_time);
    progress.show("counting " + all[i].record.point(), ++done);
  });
}

Table table_of(const std::vector<Compared>& all, bool with_agreeing) {
  Table table{.key = "pairs",
              .columns = {{"point", "point"},
                          {"tunables", "tunables"},
                          {"counter", "counter"},
                          {"emulated", "emulated", true},
                          {"on_gpu", "on the GPU", true},
                          {"ratio", "ratio", true}}};
  for (const auto& [record, pairs, why] : all) {
    for (const auto& pair : pairs) {
      if (pair.agrees() && !with_agreeing) continue;
      Text ratio;
      if (pair.on_gpu != 0)
        ratio = Quantity{pair.emulated / pair.on_gpu, Unit::factor};
      auto& row = table.add({record.full_name() + " " +
                                 size_text(record.workload, record.size) + " " +
                                 Text(record.dtype),
                             to_string(record.tunables), pair.counter,
                             static_cast<std::int64_t>(pair.emulated),
                             static_cast<std::int64_t>(pair.on_gpu), ratio});
      if (!pair.agrees()) row.tone = Tone::bad;
    }
  }
  return table;
}

int compare_counters(const Arguments& arguments, const Streams& streams) {
  if (Registry::instance().workload(arguments.positional.front()) != nullptr)
    return count_now(arguments, streams);
  const auto format = format_of(arguments, {"table", "csv", "json"});
  if (!become_emulated(arguments.words)) throw emulation_missing();
  const auto filter = filter_of(arguments);
  auto loaded = load_all(arguments.positional);
  std::vector<Compared> all;
  for (auto& record : latest(std::move(loaded.records))) {
    if (!record.counters.empty() && !record.emulated &&
        record.backend == "cuda" && filter(record))
      all.push_back({std::move(record)});
  }
  streams.warn(loaded.warnings);
  if (all.empty()) {
    throw UsageError(
        "counters: no record has counters of a GPU; 'parlab WORKLOAD SIZE "
        "--counters --results FILE' makes them where a GPU and ncu are");
  }
  count_all(all, streams.messages);
  std::int64_t pairs = 0, agree = 0;
  for (const auto& one : all) {
    pairs += std::ssize(one.pairs);
    agree += std::ranges::count_if(one.pairs, &CounterPair::agrees);
  }
  const auto table = table_of(all, arguments.on("all") || format != "table");
  Document document{.title = "Counters of emulation and of a GPU"};
  document.add(remark(Text(agree) + " of " + Text(pairs) + " agree within 1%"));
  document.add(table);
  for (const auto& [record, none, why] : all) {
    if (why) document.add(Paragraph{record.full_name() + ": " + Text(why)});
  }
  streams.print(document, table, format);
  const bool good =
      static_cast<double>(agree) >= enough * static_cast<double>(pairs);
  return arguments.on("check") && !good ? EXIT_FAILURE : EXIT_SUCCESS;
}

const CommandRegistration counters_command(
    {.name = "counters",
     .usage = "<records>... | <workload> <size>... [options]",
     .help = "Holds the counters that a GPU gave to records against those of "
             "emulation, pair by pair. A workload and a size are counted now, "
             "by both; without a GPU by emulation alone.",
     .options = counters_options,
     .run = compare_counters,
     .least = 1,
     .needs = "the records: results/MACHINE, or a file; or a workload and a "
              "size"});

}  // namespace

}  // namespace parlab
