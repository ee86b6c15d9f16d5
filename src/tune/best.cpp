#include "tune/best.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <tuple>

#include "core/file.hpp"
#include "machine/machine.hpp"
#include "machine/topology.hpp"
#include "places/presence.hpp"
#include "record/store.hpp"
#include "tune/search.hpp"

namespace parlab {
namespace {

// Sum of the logarithms of the factors between the extents.
double distance(const Size& a, const Size& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double sum = 0;
  // start at 0: parameters count as well and may be 0
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::abs(std::log1p(static_cast<double>(a[i])) -
                    std::log1p(static_cast<double>(b[i])));
  }
  return sum;
}

std::string name_of_this_machine() {
  return describe_run("", gpus_present()).machine;
}

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

// like the parameter of use_best()
using Best = std::map<std::string, std::string>;

bool concerns(const Best& best, const Variant& variant) {
  return std::ranges::any_of(best, [&](const auto& tunable) {
    return variant.tunable(tunable.first) != nullptr;
  });
}

Tuned load_tuned(const std::string& file, const Plan& plan,
                 std::vector<Detail>& notes) {
  std::vector<Record> trials;
  if (std::filesystem::exists(file)) {
    auto loaded = load_records(file);
    trials = std::move(loaded.records);
    for (auto& warning : loaded.warnings)
      notes.push_back(other(std::move(warning)));
  }
  std::map<std::string, std::string> sources;
  for (const auto* variant : plan.variants)
    sources[variant->full_name()] = variant->source_hash;
  return {trials, name_of_this_machine(), sources};
}

// The search for the best at each point of a plan.
struct Lookup {
  bool any = false;                        // whether anything was found
  std::vector<Detail> stand_ins, missing;  // a missing variant is listed once
  // command that tunes the first missing variant
  std::string command;
};

void look_up(const Subject& subject, const Tuned& tuned, Lookup& lookup) {
  const auto found =
      tuned.find(subject.variant->full_name(), subject.dtype, subject.size);
  const std::string what = subject.variant->full_name() + " " +
                           std::string(to_string(subject.dtype));
  auto& missing = lookup.missing;
  if (found) {
    lookup.any = true;
    if (found->size == subject.size) return;
    lookup.stand_ins.push_back(
        because(Cause::tuned_at_another_size, what,
                size_text(subject.variant->workload, subject.size),
                to_string(found->choice.best.tunables),
                size_text(subject.variant->workload, found->size)));
  } else if (missing.empty() ||
             std::get<std::string>(missing.back().arguments.front()) != what) {
    const auto command = command_for(subject);
    if (missing.empty()) lookup.command = command;
    missing.push_back(because(Cause::not_tuned, what, command));
  }
}

}  // namespace

std::optional<Choice> choose_best(const std::vector<Record>& trials,
                                  const TunableValues& defaults) {
  std::vector<std::pair<Summary, const Record*>> timed;
  for (const auto& record : trials) {
    if (record.timed()) timed.emplace_back(record.summary(), &record);
  }
  if (timed.empty()) return std::nullopt;
  const auto ties_with = [](const Summary& one) {
    return [fast = one.estimate](const auto& other) {
      return tied(ratio(other.first.estimate, fast));
    };
  };
  const auto surely_fast =
      std::ranges::min_element(timed, {}, [](const auto& one) {
        return std::tie(one.first.interval.high, one.first.median);
      });
  std::swap(*surely_fast, timed.front());
  const auto slower = std::partition(timed.begin() + 1, timed.end(),
                                     ties_with(timed.front().first));
  const auto best = std::min_element(
      timed.begin(), slower, [&](const auto& one, const auto& other) {
        const auto order = [&](const auto& trial) {
          return std::pair(trial.second->tunables != defaults,
                           trial.first.median);
        };
        return order(one) < order(other);
      });
  std::swap(*best, timed.front());
  Choice choice{*timed.front().second, {}};
  const auto ties = ties_with(timed.front().first);
  timed.erase(timed.begin());
  std::ranges::sort(timed, {},
                    [](const auto& one) { return one.first.median; });
  for (const auto& one : timed) {
    if (ties(one)) choice.ties.push_back(*one.second);
  }
  return choice;
}

Tuned::Tuned(const std::vector<Record>& trials, const std::string& machine,
             const std::map<std::string, std::string>& source) {
  for (auto& record : latest(trials)) {
    const auto now = source.find(record.full_name());
    if (record.machine != machine || record.cache != Cache::hot ||
        record.inputs != InputKind::uniform || !record.timed())
      continue;
    if (now == source.end() || now->second != record.source_hash) continue;
    trials_[{record.full_name(), record.dtype}][record.size].push_back(
        std::move(record));
  }
}

std::optional<Tuned::Found> Tuned::find(const std::string& full_name,
                                        Dtype dtype, const Size& size) const {
  const auto sizes = trials_.find({full_name, dtype});
  if (sizes == trials_.end()) return std::nullopt;
  const auto nearest = std::ranges::min_element(
      sizes->second, {},
      [&](const auto& one) { return distance(one.first, size); });
  if (!std::isfinite(distance(nearest->first, size))) return std::nullopt;
  const auto* variant = variant_of(nearest->second.front());
  const auto defaults = variant == nullptr
                            ? TunableValues{}
                            : defaults_of(*variant, physical_cores());
  return Found{nearest->first, *choose_best(nearest->second, defaults)};
}

std::string tuned_file() {
  return (base_folder() / "results" / name_of_this_machine() / "tuned.trials")
      .string();
}

std::vector<Detail> use_best(const Best& best, const std::string& given,
                             Plan& plan) {
  std::vector<Detail> notes;
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
    notes.push_back(because(Cause::no_gpu_to_tune_for, best.begin()->second));
  }
  for (const auto* more : {&lookup.stand_ins, &lookup.missing})
    notes.insert(notes.end(), more->begin(), more->end());
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

}  // namespace parlab
