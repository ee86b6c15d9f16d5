#include "commands/tune.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/lists.hpp"
#include "cli/run_options.hpp"
#include "cli/run_request.hpp"
#include "core/text.hpp"
#include "machine/machine.hpp"
#include "machine/memory.hpp"
#include "machine/topology.hpp"
#include "places/executor.hpp"
#include "places/presence.hpp"
#include "record/store.hpp"
#include "render/words.hpp"
#include "report/console.hpp"
#include "report/text_table.hpp"
#include "sweep/interrupt.hpp"
#include "sweep/sweep.hpp"
#include "tune/search.hpp"
#include "tune/tuned.hpp"

namespace parlab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double quick_s = 0.1;
// of the budget; the rest is for the finalists
constexpr double for_search = 0.7;

std::string machine_of() {
  return describe_run("", gpus_present()).machine;
}

// Keeps the records; the progress line goes on.
class Collected final : public Observer {
 public:
  explicit Collected(std::ostream& messages)
      : messages_(messages),
        progress_(messages, terminal_width(STDERR_FILENO)) {}
  // The first is the sweep's own, those behind it are of records it found.
  void run(const Run& run) override {
    if (own_run.empty()) own_run = run.id;
  }
  void plan(std::size_t measurements) override {
    progress_.start(measurements);
  }
  void working_on(const std::string& what, std::size_t done) override {
    progress_.show("tuning: " + what, done);
  }
  void note(const std::string& line) override {
    progress_.clear();
    messages_ << "parlab: " << line << std::endl;
  }
  void point(const std::vector<Record>& complete) override {
    progress_.clear();
    records.insert(records.end(), complete.begin(), complete.end());
  }

  std::string own_run;
  std::vector<Record> records;

 private:
  std::ostream& messages_;
  Progress progress_;
};

// One variant at one size and dtype.
struct Subject {
  const Variant* variant;
  Size size;
  Dtype dtype;
};

std::string command_for(const Subject& subject) {
  const Variant& variant = *subject.variant;
  std::string command = "parlab tune " + variant.workload + " " +
                        to_string(subject.size) + " --variant " +
                        variant.backend + "/" + variant.name;
  if (subject.dtype !=
      Registry::instance().workload(variant.workload)->dtypes().front()) {
    command += " --dtype " + std::string(to_string(subject.dtype));
  }
  return command;
}

class Tuning {
 public:
  Tuning(const TuneRequest& request,
         const std::string& file,
         std::ostream& messages,
         Supervisor* supervisor)
      : request_(request),
        plan_(request.plan),
        messages_(messages),
        supervisor_(supervisor) {
    plan_.results = file;
  }

  void search(const Subject& subject) {
    records_.clear();
    searched_ = false;
    begin_ = Clock::now();
    Search search;
    search.axes = axes_of(*subject.variant, plan_.tunables, physical_cores());
    search.start = defaults_of(*subject.variant, physical_cores());
    search.exhaustive =
        count_of(search.axes) * plan_.time_limit_s <= request_.budget_s;
    search.measure = [&](const auto& tunables, Effort effort) {
      return measure(subject, tunables, effort);
    };
    search.stop = [&] {
      return stopped() ||
             std::chrono::duration<double>(Clock::now() - begin_).count() >
                 for_search * request_.budget_s;
    };
    tried_ = run_search(search);
    choice_ = choose_best(records_);
    if (choice_ && searched_) confirm(subject);
  }

  bool stopped() const { return status_ == exit_interrupted; }
  int status() const { return status_; }
  std::size_t tried() const { return tried_; }
  // The last of each configuration of the search.
  const std::vector<Record>& records() const { return records_; }
  // The winner by fresh samples, its ties by those of the search.
  // Nothing when none has a time.
  const std::optional<Choice>& choice() const { return choice_; }

 private:
  // Luck had a part in who was the fastest of many: what is reported is
  // measured once more, and so are the defaults it is compared with.
  void confirm(const Subject& subject) {
    const auto defaults = defaults_of(*subject.variant, physical_cores());
    std::vector<TunableValues> both{choice_->best.tunables};
    if (defaults != both.front()) both.push_back(defaults);
    Plan plan = plan_;
    plan.force = true;
    for (const auto& record : sweep(subject, both, plan)) {
      if (record.timed() && record.tunables == both.front())
        choice_->best = record;
    }
  }

  std::vector<Record> measure(const Subject& subject,
                              std::vector<TunableValues> tunables,
                              Effort effort) {
    Plan plan = plan_;
    if (effort == Effort::quick)
      plan.time_limit_s = std::min(quick_s, plan.time_limit_s);
    if (effort == Effort::full) {
      // What a quick look knows well enough is known; the
      // others are measured anew.
      std::erase_if(tunables, [&](const TunableValues& one) {
        return std::any_of(records_.begin(), records_.end(),
                           [&](const Record& record) {
                             return record.tunables == one &&
                                    (record.converged || !record.timed());
                           });
      });
      plan.force |= !records_.empty();
    }
    return sweep(subject, tunables, plan);
  }

  std::vector<Record> sweep(const Subject& subject,
                            const std::vector<TunableValues>& tunables,
                            Plan plan) {
    if (stopped() || tunables.empty()) return {};
    plan.sizes = {subject.size};
    plan.dtypes = {subject.dtype};
    plan.variants = {subject.variant};
    plan.choose = [&](const Variant&, const Size&, Dtype) { return tunables; };
    Collected collected(messages_);
    const int status = run_sweep(plan, collected, supervisor_);
    status_ = std::max(status_, status);
    searched_ |= std::any_of(
        collected.records.begin(), collected.records.end(),
        [&](const Record& record) { return record.run == collected.own_run; });
    records_.insert(records_.end(), collected.records.begin(),
                    collected.records.end());
    records_ = latest(std::move(records_));
    return collected.records;
  }

  const TuneRequest& request_;
  Plan plan_;
  std::ostream& messages_;
  Supervisor* supervisor_;
  std::vector<Record> records_;
  std::optional<Choice> choice_;
  // anything was measured now, and not all of it before
  bool searched_ = false;
  std::size_t tried_ = 0;
  int status_ = 0;
  Clock::time_point begin_;
};

std::string ties_of(const Choice& choice) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, choice.ties.size()); ++i) {
    text += (i == 0 ? "" : ", ") + to_string(choice.ties[i].tunables);
  }
  if (choice.ties.size() > shown) {
    text += " and " + std::to_string(choice.ties.size() - shown) + " more";
  }
  return text.empty() ? "none" : text;
}

// What the best gains over the defaults.
std::string gain(const Choice& choice,
                 const std::vector<Record>& trials,
                 const TunableValues& defaults) {
  if (choice.best.tunables == defaults) return "is the default";
  const auto found =
      std::find_if(trials.begin(), trials.end(), [&](const Record& record) {
        return record.tunables == defaults && record.timed();
      });
  if (found == trials.end()) return "-";
  const Ratio times =
      ratio(found->summary().estimate, choice.best.summary().estimate);
  if (tied(times)) return "ties with the default";
  std::string text = significant(times.value, 3, 3) + "x";
  if (decided(times)) {
    text += " (" + significant(times.interval.low, 3, 3) + "-" +
            significant(times.interval.high, 3, 3) + ")";
  }
  return text;
}

class Report {
 public:
  void add(const Subject& subject, const Tuning& tuning) {
    const auto name = subject.variant->backend + "/" + subject.variant->name;
    const auto problem =
        to_string(subject.size) + " " + std::string(to_string(subject.dtype));
    const auto& choice = tuning.choice();
    if (!choice) {
      const auto& records = tuning.records();
      const auto why = records.empty()
                           ? "interrupted"
                           : std::string(to_string(records[0].verdict));
      table_.add({name, problem, std::to_string(tuning.tried())},
                 "none has a time: " + why);
      return;
    }
    best_.push_back(choice->best);
    table_.add({name, problem, std::to_string(tuning.tried()),
                to_string(choice->best.tunables),
                seconds_with_unit(choice->best.summary().median),
                gain(*choice, tuning.records(),
                     defaults_of(*subject.variant, physical_cores())),
                ties_of(*choice)});
  }

  void print(const std::string& format, std::ostream& out) const {
    if (format == "table") {
      table_.print(out);
      out << "gain: time at the defaults / at the best, with its 95 % "
             "interval, both measured "
             "again "
             "after the search; ties: the samples\nof the search do not tell "
             "them apart.\n";
      return;
    }
    const auto reporter = make_reporter(format, out);
    if (!best_.empty()) reporter->point(best_);
    reporter->finish();
  }

 private:
  TextTable table_{{{"variant", false, 20},
                    {"size, dtype", false, 18},
                    {"tried", true},
                    {"best", false, 20},
                    {"time", true},
                    {"gain", false, 20},
                    {"ties", false, 24}}};
  std::vector<Record> best_;
};

// Those with something to tune, where they can be timed.
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

using Best = std::map<std::string, std::string>;  // as in use_best()

bool concerns(const Best& best, const Variant& variant) {
  return std::any_of(best.begin(), best.end(), [&](const auto& tunable) {
    return variant.tunable(tunable.first) != nullptr;
  });
}

Tuned load_tuned(const std::string& file,
                 const Plan& plan,
                 std::vector<std::string>& notes) {
  std::vector<Record> trials;
  if (std::filesystem::exists(file)) {
    auto loaded = load_records(file);
    trials = std::move(loaded.records);
    notes = std::move(loaded.warnings);
  }
  std::map<std::string, std::string> sources;
  for (const auto* variant : plan.variants)
    sources[variant->full_name()] = variant->source_hash;
  return {trials, machine_of(), sources};
}

// What became of the wish for the best, at each point of a plan.
struct Lookup {
  bool any = false;  // something was found
  // "... is not tuned at 50x50: threads=2 is the best at ..."
  std::vector<std::string> stand_ins;
  // "... is not tuned, it runs at its defaults ..."
  std::vector<std::string> missing;
  std::string command;  // to tune the first that is missing
};

void look_up(const Subject& subject, const Tuned& tuned, Lookup& lookup) {
  const auto found =
      tuned.find(subject.variant->full_name(), subject.dtype, subject.size);
  const auto what = subject.variant->full_name() + " " +
                    std::string(to_string(subject.dtype));
  if (!found) {
    // Once, and not at every size.
    if (!lookup.missing.empty() &&
        lookup.missing.back().starts_with(what + " "))
      return;
    const auto command = command_for(subject);
    if (lookup.command.empty()) lookup.command = command;
    lookup.missing.push_back(what +
                             " is not tuned, it runs at its defaults ('" +
                             command + "' tunes it)");
    return;
  }
  lookup.any = true;
  if (found->size == subject.size) return;
  lookup.stand_ins.push_back(what + " is not tuned at " +
                             to_string(subject.size) + ": " +
                             to_string(found->choice.best.tunables) +
                             " is the best at " + to_string(found->size));
}

}  // namespace

std::string tuned_file() {
  return (std::filesystem::path("results") / machine_of() / "tuned.trials")
      .string();
}

int tune(const TuneRequest& asked,
         std::ostream& out,
         std::ostream& messages,
         Supervisor* supervisor) {
  TuneRequest request = asked;
  request.plan.variants = tunable_variants(request.plan, messages);
  const auto file = request.file.empty() ? tuned_file() : request.file;
  Tuning tuning(request, file, messages, supervisor);
  Report report;
  for (const auto& size : request.plan.sizes) {
    for (const auto dtype : request.plan.dtypes) {
      for (const auto* variant : request.plan.variants) {
        if (!variant->has(dtype) || tuning.stopped()) continue;
        const Subject subject{variant, size, dtype};
        tuning.search(subject);
        report.add(subject, tuning);
      }
    }
  }
  report.print(request.format, out);
  messages << "parlab: kept in " << file
           << "; a tunable is set to it by 'best', as in --"
           << request.plan.variants.front()->tunables.front().name << " best"
           << std::endl;
  return tuning.status();
}

std::vector<std::string> use_best(const Best& best,
                                  const std::string& given,
                                  Plan& plan) {
  std::vector<std::string> notes;
  const auto file = given.empty() ? tuned_file() : given;
  const auto tuned =
      std::make_shared<const Tuned>(load_tuned(file, plan, notes));
  Lookup lookup;
  const bool no_gpu = why_no_gpu().has_value();
  bool untimed = false;
  for (const auto* variant : plan.variants) {
    if (!concerns(best, *variant)) continue;
    untimed |= variant->needs_gpu() && no_gpu;
    if (variant->needs_gpu() && no_gpu) continue;
    for (const auto dtype : plan.dtypes) {
      for (const auto& size : plan.sizes) {
        if (variant->has(dtype))
          look_up({variant, size, dtype}, *tuned, lookup);
      }
    }
  }
  if (!lookup.any && !lookup.missing.empty()) {
    throw UsageError(best.begin()->second +
                     ": nothing is known of it on this machine; run '" +
                     lookup.command + "' first");
  }
  if (untimed) {
    notes.push_back(best.begin()->second +
                    ": without a GPU nothing is timed there; its kernels run "
                    "at their defaults");
  }
  for (const auto* more : {&lookup.stand_ins, &lookup.missing}) {
    notes.insert(notes.end(), more->begin(), more->end());
  }
  plan.choose = [base = plan, best, tuned](const Variant& variant,
                                           const Size& size, Dtype dtype) {
    Plan chosen = base;
    if (const auto found = tuned->find(variant.full_name(), dtype, size)) {
      for (const auto& [name, value] : found->choice.best.tunables) {
        if (best.count(name) > 0) chosen.tunables[name] = {value};
      }
    }
    return configurations(chosen, variant);
  };
  return notes;
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

// A worker's measurements are kept in the file of trials, and not measured
// again by the next.
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
  return tune({request.plan, budget_s, file, request.format}, streams.out,
              streams.messages, &supervisor);
}

const CommandRegistration tune_command(
    {.name = "tune",
     .usage = "<workload> <size>... [options]",
     .help = "Searches the tunables of each variant for the fastest "
             "configuration, and keeps it for '--block best', "
             "'GPU_BLOCK_SIZE=best' and their kin. All configurations are "
             "tried when the budget allows, else those that a search along one "
             "tunable at a time leads to. A tunable that is given, as --block "
             "32:512:32, is searched among these values. Ctrl-C loses nothing.",
     .options = tune_options,
     .run = tune_in_worker,
     .least = 1,
     .needs = "a workload and a size: tune dmv 4096",
     .warns = true});

}  // namespace

}  // namespace parlab
