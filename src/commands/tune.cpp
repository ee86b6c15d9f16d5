#include "commands/tune.hpp"

#include <algorithm>
#include <ranges>

#include "cli/lists.hpp"
#include "cli/run_request.hpp"
#include "core/text.hpp"
#include "machine/memory.hpp"
#include "machine/topology.hpp"
#include "places/presence.hpp"
#include "render/words.hpp"
#include "report/console.hpp"
#include "sweep/interrupt.hpp"
#include "tune/search.hpp"

namespace parlab {
namespace {

std::string ties_of(const Choice& choice) {
  constexpr std::size_t shown = 3;
  auto text = join(choice.ties | std::views::take(shown), ", ",
                   [](const Record& tie) { return to_string(tie.tunables); });
  if (choice.ties.size() > shown)
    text += " and " + std::to_string(choice.ties.size() - shown) + " more";
  return text.empty() ? "none" : text;
}

// The gain of the best over the defaults.
Text gain_over_defaults(const Choice& choice, const std::vector<Record>& trials,
                        const TunableValues& defaults) {
  if (choice.best.tunables == defaults) return "is the default";
  const auto found = std::ranges::find_if(trials, [&](const Record& record) {
    return record.tunables == defaults && record.timed();
  });
  if (found == trials.end()) return "-";
  const Ratio times =
      ratio(found->summary().estimate, choice.best.summary().estimate);
  if (tied(times)) return "ties with the default";
  const Quantity gain{times.value, Unit::factor, times.interval};
  return decided(times) ? gain + Text(" (") + Range{gain} + ")" : Text(gain);
}

Row row_of_search(const Subject& subject, const Tuning& tuning) {
  const auto name = subject.variant->backend + "/" + subject.variant->name;
  const auto problem = size_text(subject.variant->workload, subject.size) +
                       " " + to_string(subject.dtype);
  const auto tried = static_cast<std::int64_t>(tuning.tried);
  const auto& choice = tuning.choice;
  if (!choice) {
    const auto why = tuning.records.empty()
                         ? "interrupted"
                         : to_string(tuning.records[0].verdict);
    return row_of({name, problem, tried, "none has a time: " + Text(why)});
  }
  return row_of(
      {name, problem, tried, to_string(choice->best.tunables),
       Quantity{choice->best.summary().median, Unit::second},
       gain_over_defaults(*choice, tuning.records,
                          defaults_of(*subject.variant, physical_cores())),
       ties_of(*choice)});
}

Document document_of_searches(std::vector<Row> rows) {
  return {.blocks = {Table{.columns = {{.title = "variant", .widest = 20},
                                       {.title = "size, dtype", .widest = 18},
                                       {.title = "tried", .right = true},
                                       {.title = "best", .widest = 20},
                                       {.title = "time", .right = true},
                                       {.title = "gain", .widest = 20},
                                       {.title = "ties", .widest = 24}},
                           .rows = std::move(rows)},
                     remark("gain: time at the defaults / at the best, "
                            "with its 95 % interval, both measured again "
                            "after the search; ties: the samples of the "
                            "search do not tell them apart.")}};
}

// The variants with tunables that can be timed here.
std::vector<const Variant*> tunable_variants(const Plan& plan,
                                             std::ostream& messages) {
  auto variants = plan.variants;
  std::erase_if(variants, [](const Variant* variant) {
    return variant->tunables.empty();
  });
  if (variants.empty())
    throw UsageError("tune: none of the chosen variants has a tunable");
  const auto why = why_no_gpu();
  if (!why) return variants;
  const auto removed =
      std::erase_if(variants, [](const Variant* v) { return v->needs_gpu(); });
  if (variants.empty())
    throw UsageError("tune: " + words(*why) +
                     ", and nothing is timed without it");
  if (removed > 0) {
    messages << "parlab: " << words(*why) << ": " << removed
             << " variants on the GPU are left out" << std::endl;
  }
  return variants;
}

}  // namespace

int tune(const TuneRequest& asked, std::ostream& out, std::ostream& messages,
         Supervisor& supervisor) {
  TuneRequest request = asked;
  request.plan.variants = tunable_variants(request.plan, messages);
  const auto file = request.file.empty() ? tuned_file() : request.file;
  request.plan.results = file;
  const auto reporter = make_reporter(request.format, out);
  std::vector<Row> rows;
  std::vector<Record> best;
  int status = 0;
  {
    Console console(*reporter, messages);
    for (const auto& size : request.plan.sizes) {
      for (const auto dtype : request.plan.dtypes) {
        for (const auto* variant : request.plan.variants) {
          if (!variant->has(dtype) || status == exit_interrupted) continue;
          const Subject subject{variant, size, dtype};
          const auto found = find_best(request.plan, subject, request.budget_s,
                                       console, supervisor);
          status = std::max(status, found.status);
          rows.push_back(row_of_search(subject, found));
          if (found.choice) best.push_back(found.choice->best);
        }
      }
    }
  }
  if (request.format == "table") {
    out << formatted(document_of_searches(std::move(rows)), request.looks);
  } else {
    if (!best.empty()) reporter->point(best);
    reporter->finish();
  }
  if (best.empty()) return status;
  messages << "parlab: kept in " << file << "; use it by --"
           << request.plan.variants.front()->tunables.front().name << " best"
           << std::endl;
  return status;
}

namespace {

Options tune_options() {
  return run_options({"kernel", "backend", "variant", "dtype", "time-limit",
                      "execution-limit", "precision", "iterations", "device",
                      "machine", "node", "format", "tuned", "force",
                      "in-process"}) +
         problem_options() +
         Options{{.flag = "budget",
                  .argument = "SECONDS",
                  .help = "for each variant, dtype and size (60)"}};
}

// A worker's measurements are kept in the file of trials, and the next worker
// does not repeat them.
int tune_in_worker(const Arguments& arguments, const Streams& streams) {
  auto request = read_tuning(arguments);
  const auto file = file_asked_for(arguments, "tuned");
  double budget_s = 60;
  if (const auto* setting = arguments.find("budget"))
    budget_s = parse_positive(*setting, 1e6);
  streams.warn(request.warnings);
  Supervisor supervisor;
  supervisor.repeats = false;
  if (!arguments.on("in-process")) {
    if (const auto status = supervisor.start()) return *status;
  }
  request.plan.memory_bytes = free_memory_bytes();
  return tune({request.plan, budget_s, file, request.format, streams.looks},
              streams.out, streams.messages, supervisor);
}

const CommandRegistration tune_command(
    {.name = "tune",
     .usage = "<workload> <size>... [options]",
     .help = "Searches the tunables of each variant for the fastest "
             "configuration, and keeps it for '--block best', "
             "'GPU_BLOCK_SIZE=best' and similar settings. All configurations "
             "are tried if the budget allows; otherwise the search changes one "
             "tunable at a time. A tunable that is given, as --block "
             "32:512:32, is searched among these values. Ctrl-C loses nothing.",
     .options = tune_options,
     .run = tune_in_worker,
     .least = 1,
     .needs = "a workload and a size: tune dmv 4096",
     .warns = true});

}  // namespace

}  // namespace parlab
