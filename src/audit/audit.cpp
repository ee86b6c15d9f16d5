#include "audit/audit.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <span>

#include "core/file.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"
#include "machine/roof.hpp"
#include "record/speedup.hpp"
#include "record/store.hpp"

namespace parlab {
namespace {

Quantity seconds(double value) {
  return {.value = value, .unit = Unit::second};
}

// The value that a command gives an option: "--backend cuda", "--backend=cuda",
// or "BACKEND=cuda" before it. Empty if it gives none.
std::string value_of(const std::string& command, const std::string& option,
                     const std::string& variable) {
  const auto words = shell_words(command);
  for (std::size_t i = words.size(); i-- > 0;) {
    if (words[i] == option && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(option + "="))
      return words[i].substr(option.size() + 1);
  }
  for (const auto& word : words) {
    if (word.starts_with(variable + "="))
      return word.substr(variable.size() + 1);
  }
  return {};
}

// A build may lack a variant whose file exists. Then nothing is known.
Detail source_problem(const Record& record) {
  if (const auto* const variant = variant_of(record)) {
    if (variant->source_hash == record.source_hash) return {};
    return because(Cause::source_changed, record.source);
  }
  const auto base = base_folder();
  if (!std::filesystem::exists(base / "serial") ||
      std::filesystem::exists(base / record.source))
    return {};
  return because(Cause::source_gone, record.source);
}

// A variant's full name asks for it, whichever backends stand beside it. With a
// short name, older versions also measured other backends.
Detail command_problem(const Record& record, const Run& run) {
  const auto asked = value_of(run.command, "--backend", "BACKEND");
  if (asked.empty()) return {};
  const auto has = [](const std::string& list, const std::string& word) {
    const auto words = split(list, ',');
    return std::ranges::find(words, word) != words.end();
  };
  if (has(asked, record.backend) ||
      has(value_of(run.command, "--variant", "VARIANT"), record.name()))
    return {};
  return because(Cause::not_asked_for, asked);
}

Detail roof_problem(const Record& record) {
  const double margin = record.for_gpu() ? gpu_roof_margin : host_roof_margin;
  const double median = record.summary().median;
  if (record.roof_s <= 0 || median * margin >= record.roof_s) return {};
  return because(Cause::below_roof, seconds(median), seconds(record.roof_s));
}

// A record's ceiling: the time that the work of `work` takes by it.
struct KnownCeiling {
  std::size_t record = 0;
  double work = 0, roof_s = 0;
  double rate() const { return work / roof_s; }
};

// A host's ceilings are compared at one point, and those of a unit at all.
std::vector<Detail> objections_to_ceilings(
    const std::vector<Record>& records,
    const std::map<std::string, Run>& runs) {
  std::map<std::string, std::vector<KnownCeiling>> alike;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i];
    const auto run = runs.find(record.run);
    if (!record.timed() || record.for_gpu() || record.roof_s <= 0 ||
        run == runs.end())
      continue;
    const auto unit = limit_of(run->second.host, record);
    const bool by_unit = unit == record.unit;
    alike[record.machine + " " + record.host_id + " " + record.gpus_of_host +
          " " + record.unit + (by_unit ? "" : " " + record.point())]
        .push_back({i, by_unit ? record.flops : 1, record.roof_s});
  }
  std::vector<Detail> objections(records.size());
  for (const auto& [key, ceilings] : alike) {
    const auto& best =
        *std::ranges::max_element(ceilings, {}, &KnownCeiling::rate);
    for (const auto& one : ceilings) {
      const double roof_s = one.work / best.rate();
      const double slowest_s = records[one.record].slowest_roof_s,
                   error = std::max(1.0, slowest_s / one.roof_s);
      if (one.roof_s <= steady_roof * error * roof_s) continue;
      objections[one.record] =
          because(Cause::ceilings_differ, seconds(one.roof_s),
                  records[best.record].point(), seconds(roof_s));
    }
  }
  return objections;
}

Detail slower_than_serial(const Record& record,
                          const std::vector<Record>& records) {
  if (record.backend != "blas" || record.for_gpu()) return {};
  for (const auto& serial : records) {
    if (serial.backend != "serial" || !same_point(serial, record) ||
        !same_machine(serial, record))
      continue;
    const auto ratio = speedup(record, serial);
    if (!ratio || ratio->interval.high >= 1) continue;
    return because(Cause::library_behind_serial,
                   seconds(record.summary().median), serial.full_name(),
                   seconds(serial.summary().median));
  }
  return {};
}

Detail noise_problem(const Record& record, const Run& run) {
  if (!record.for_gpu() && run.others_at_work > 0) {
    return because(Cause::others_were_at_work, run.others_at_work);
  }
  return width_problem(record.summary());
}

// Names points of one variant, setting, type and machine, which differ only in
// size.
std::string line_of(const Record& record) {
  std::string key =
      record.machine + " " + record.host_id + " " + record.full_name() + " " +
      std::string(to_string(record.dtype)) + " " +
      std::string(to_string(record.cache)) + " " +
      std::string(to_string(record.inputs)) + " " + to_string(record.tunables);
  const auto* const workload = Registry::instance().workload(record.workload);
  if (workload == nullptr) return key;
  for (auto i = count_extents(*workload); i < record.size.size(); ++i)
    key += " " + std::to_string(record.size[i]);
  return key;
}

struct Placed {
  std::size_t record = 0;
  double work = 0, seconds = 0;
  std::vector<double> extents;
  double cost() const { return seconds / work; }
};

bool alike(const Placed& one, const Placed& other, double margin) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t i = 0; i < one.extents.size(); ++i) {
    if (one.extents[i] == 0 || other.extents[i] == 0) continue;
    const double factor = one.extents[i] / other.extents[i];
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  return most <= margin * least;
}

// The cheapest of these neighbours, because one that is out of line itself must
// not accuse others.
const Placed* cheapest(std::span<const Placed> all, const Placed& one,
                       double from, double to, double margin) {
  const Placed* best = nullptr;
  for (const auto& other : all) {
    if (other.record == one.record || other.work < from * one.work ||
        other.work > to * one.work || !alike(one, other, margin))
      continue;
    if (best == nullptr || other.cost() < best->cost()) best = &other;
  }
  return best;
}

// The neighbour that shows it to be too slow, or nullptr.
const Placed* out_of_line(const Placed& one, std::span<const Placed> all,
                          const AuditRules& rules) {
  const double near = rules.same_shape * rules.same_shape;
  const auto is_cheap = [&](const Placed* other) {
    return other != nullptr &&
           one.cost() > rules.most_over_neighbours * other->cost();
  };
  const auto neighbour = [&](double from, double to) {
    return cheapest(all, one, from, to, rules.same_shape);
  };
  if (const auto* same = neighbour(1 / near, near); is_cheap(same)) return same;
  const auto* const larger = neighbour(near, rules.reach);
  return is_cheap(neighbour(1 / rules.reach, 1 / near)) && is_cheap(larger)
             ? larger
             : nullptr;
}

// Medians of all runs, by the configuration measured.
using Medians = std::map<std::string, std::map<std::string, double>>;

bool is_confirmed(const Record& record, double seconds, const Medians& medians,
                  const AuditRules& rules) {
  const auto& of_runs = medians.at(record.machine + " " + record.key());
  return std::ranges::any_of(of_runs, [&](const auto& run) {
    return run.first != record.run && seconds < rules.same_time * run.second &&
           run.second < rules.same_time * seconds;
  });
}

std::vector<Detail> objections_of_neighbours(const std::vector<Record>& records,
                                             const Medians& medians,
                                             const AuditRules& rules) {
  std::map<std::string, std::vector<Placed>> lines;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i];
    const double work = std::max(record.flops, record.bytes);
    if (!record.timed() || work <= 0) continue;
    const auto extents = extents_of(record.workload, record.size);
    lines[line_of(record)].push_back(
        {i, work, record.summary().median, {extents.begin(), extents.end()}});
  }
  std::vector<Detail> objections(records.size());
  for (const auto& [key, placed] : lines) {
    for (const auto& one : placed) {
      const auto* const other = out_of_line(one, placed, rules);
      if (other == nullptr ||
          is_confirmed(records[one.record], one.seconds, medians, rules))
        continue;
      objections[one.record] =
          because(Cause::out_of_line,
                  Quantity{one.cost() / other->cost(), Unit::factor},
                  size_text(records[other->record].workload,
                            records[other->record].size),
                  seconds(other->seconds));
    }
  }
  return objections;
}

}  // namespace

Detail width_problem(const Summary& summary) {
  if (!too_wide(summary)) return {};
  return because(Cause::too_wide,
                 Quantity{relative_half_width(summary), Unit::fraction});
}

Audit audit(const std::vector<Record>& records,
            const std::map<std::string, Run>& runs, const AuditRules& rules) {
  Medians medians;
  for (const auto& record : records) {
    if (record.timed())
      medians[record.machine + " " + record.key()][record.run] =
          record.summary().median;
  }
  Audit audit{.records = latest(records), .objections = {}};
  const auto of_line = objections_of_neighbours(audit.records, medians, rules);
  const auto to_ceilings = objections_to_ceilings(audit.records, runs);
  for (std::size_t i = 0; i < audit.records.size(); ++i) {
    const auto& record = audit.records[i];
    const auto run = runs.find(record.run);
    if (!record.timed() || run == runs.end()) continue;
    for (auto& why :
         {source_problem(record), command_problem(record, run->second),
          roof_problem(record), to_ceilings[i],
          slower_than_serial(record, audit.records), of_line[i],
          noise_problem(record, run->second)}) {
      if (why) audit.objections.push_back({i, why});
    }
  }
  return audit;
}

std::size_t leave_out_rejected(std::vector<Record>& records,
                               const std::map<std::string, Run>& runs) {
  constexpr Cause shown[] = {Cause::source_changed, Cause::others_were_at_work,
                             Cause::too_wide};
  const auto [counted, objections] = audit(records, runs);
  std::map<std::string, Detail> against;
  for (const auto& [record, why] : objections) {
    if (std::ranges::find(shown, why.cause) != std::end(shown)) continue;
    auto& known = against[counted[record].identity()];
    if (!known || known.cause == Cause::ceilings_differ) known = why;
  }
  std::erase_if(records, [&](Record& record) {
    const auto found = against.find(record.identity());
    if (found == against.end()) return false;
    if (found->second.cause != Cause::ceilings_differ) return true;
    record.roof_s = 0;
    record.roof_absent = found->second;
    return false;
  });
  return static_cast<std::size_t>(
      std::ranges::count_if(against, [](const auto& point) {
        return point.second.cause != Cause::ceilings_differ;
      }));
}

std::vector<std::string> arguments_for(const Record& record) {
  const Size extents = extents_of(record.workload, record.size);
  std::vector<std::string> words{
      record.workload, to_string(extents),
      "--variant",     record.name(),
      "--dtype",       std::string(to_string(record.dtype)),
      "--cache",       std::string(to_string(record.cache))};
  // In a size, a parameter cannot be 0.
  for (auto i = extents.size(); i < record.size.size(); ++i) {
    words.insert(words.end(), {"--" + record.dimensions.at(i),
                               std::to_string(record.size[i])});
  }
  if (record.inputs != InputKind::uniform)
    words.insert(words.end(),
                 {"--inputs", std::string(to_string(record.inputs))});
  for (const auto& [name, value] : record.tunables)
    words.insert(words.end(), {"--" + name, std::to_string(value)});
  words.emplace_back("--force");
  return words;
}

std::string command_for(const Record& record, const std::string& file) {
  return "bin/parlab " + join(arguments_for(record), " ") + " --results " +
         shell_quoted(file);
}

}  // namespace parlab
