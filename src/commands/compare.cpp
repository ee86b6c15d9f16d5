// `parlab compare`: two sets of records, compared point by point.
#include "compare/compare.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "cli/lists.hpp"
#include "cli/record_filter.hpp"
#include "cli/run_options.hpp"
#include "commands/record_files.hpp"
#include "core/text.hpp"
#include "record/store.hpp"
#include "report/text_table.hpp"

namespace parlab {
namespace {

constexpr std::size_t undecided_shown = 10;

struct Side {
  std::vector<Record> records;
  std::string title;  // "results/x: nvidia-h200, commit bcb473049c, 2026-11-21"
};

Side load_side(const std::string& name,
               const RecordFilter& filter,
               std::vector<std::string>& warnings) {
  auto loaded = load_all({name});
  std::move(loaded.warnings.begin(), loaded.warnings.end(),
            std::back_inserter(warnings));
  std::erase_if(loaded.records,
                [&](const Record& record) { return !filter(record); });
  std::set<std::string> machines;
  const Run* last = nullptr;
  for (const auto& record : loaded.records) {
    machines.insert(record.machine);
    last = &loaded.runs.at(record.run);
  }
  if (last == nullptr)
    throw UsageError("compare: '" + name + "' has no records to compare");
  if (machines.size() > 1) {
    throw UsageError("compare: '" + name +
                     "' has records of several machines (" +
                     join({machines.begin(), machines.end()}, ", ") +
                     "); name the file or folder of one");
  }
  return {std::move(loaded.records), record_path(name) + ": " + last->machine +
                                         ", commit " + last->commit + ", " +
                                         last->date.substr(0, 10)};
}

std::string ratio_text(double ratio) {
  return significant(ratio, 4, 3);
}

std::string median_text(const Runs& runs) {
  return runs.last.timed() ? seconds_with_unit(runs.median())
                           : std::string(to_string(runs.last.verdict));
}

void add_row(TextTable& table, const ComparedPoint& point) {
  const Record& record = point.before.last;
  std::string problem = to_string(record.size) + " ";
  problem += std::string(to_string(record.dtype)) + " " +
             std::string(to_string(record.cache));
  std::vector<std::string> cells{std::string(to_string(point.change)),
                                 record.full_name(),
                                 problem,
                                 to_string(record.tunables),
                                 median_text(point.before),
                                 median_text(point.after)};
  if (point.tested) {
    cells.push_back(ratio_text(point.test.ratio.value));
    cells.push_back(ratio_text(point.test.ratio.interval.low) + "-" +
                    ratio_text(point.test.ratio.interval.high));
  } else {
    cells.emplace_back("-");
    cells.emplace_back(point.change == Change::failed ? "" : "few samples");
  }
  table.add(std::move(cells));
}

// The middle half of all ratios: shows a drift of the whole machine.
std::string spread(const Comparison& comparison) {
  std::vector<double> ratios;
  for (const auto& point : comparison.points) {
    if (point.tested) ratios.push_back(point.test.ratio.value);
  }
  if (ratios.size() < 4) return "";
  std::sort(ratios.begin(), ratios.end());
  return "The middle half of the ratios: " +
         ratio_text(ratios[ratios.size() / 4]) + " to " +
         ratio_text(ratios[ratios.size() * 3 / 4]) + ".\n";
}

std::string counts(const Comparison& comparison) {
  std::string text =
      std::to_string(comparison.points.size()) + " points compared: ";
  for (const auto change : {Change::slower, Change::faster, Change::same,
                            Change::undecided, Change::failed}) {
    if (change != Change::slower) text += ", ";
    text += std::to_string(comparison.count(change)) + " " +
            std::string(to_string(change));
  }
  text += ".\nNot compared: " + std::to_string(comparison.only_before) +
          " points only before, " + std::to_string(comparison.only_after) +
          " only after, " + std::to_string(comparison.without_time) +
          " without a time.\n";
  return text;
}

void print_table(std::ostream& out,
                 const Comparison& comparison,
                 const CompareRules& rules) {
  TextTable table({{"", false},
                   {"variant", false, 26},
                   {"size, dtype, caches", false, 20},
                   {"tunables", false, 12},
                   {"before", true},
                   {"after", true},
                   {"ratio", true},
                   {"(95%)", false}});
  std::size_t undecided = 0;
  bool any = false;
  for (const auto& point : comparison.points) {
    if (point.change == Change::same) continue;
    if (point.change == Change::undecided && ++undecided > undecided_shown)
      continue;
    add_row(table, point);
    any = true;
  }
  if (any) table.print(out);
  if (undecided > undecided_shown) {
    out << "... and " << undecided - undecided_shown
        << " undecided more: --format csv has all\n";
  }
  out << (any ? "\n" : "") << counts(comparison) << spread(comparison);
  const auto by_runs = comparison.by_runs();
  std::string margin = percent(rules.margin);
  if (by_runs < comparison.points.size()) {
    out << "One run on a side does not show what differs between runs of one "
           "binary here: what was "
           "measured\nof it once (parlab machine --measure), or is usual, is "
           "in the interval. To "
           "see "
           "it, repeat both\n(--results FILE --force appends a run).\n";
    const auto of_one_run = percent(rules.margin_of_one_run);
    if (by_runs == 0) {
      margin = of_one_run;
    } else if (margin != of_one_run) {
      margin += " (one run on a side: " + of_one_run + ")";
    }
  }
  out << "ratio: time after / before. slower, faster: by more than " << margin
      << ", wrong at " << percent(rules.error)
      << " for all points\ntogether (Holm). same: within that, wrong at "
      << percent(rules.error)
      << " a point. undecided: the samples do not tell.\n";
}

// Independent of the locale; 9 significant digits.
std::string number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value,
                                 std::chars_format::general, 9)
                       .ptr;
  return {text, end};
}

void print_csv(std::ostream& out, const Comparison& comparison) {
  out << "change,workload,backend,variant,size,dtype,cache,tunables,before_s,"
         "after_s,ratio,"
         "ratio_low,ratio_high,p_adjusted,verdict_after\n";
  for (const auto& point : comparison.points) {
    const Record& r = point.before.last;
    out << to_string(point.change) << ',' << r.workload << ',' << r.backend
        << ',' << r.variant << ',' << to_string(r.size) << ','
        << to_string(r.dtype) << ',' << to_string(r.cache) << ','
        << to_string(r.tunables) << ',' << number(point.before.median()) << ',';
    if (point.after.last.timed()) out << number(point.after.median());
    out << ',';
    if (point.tested) {
      out << number(point.test.ratio.value) << ','
          << number(point.test.ratio.interval.low) << ','
          << number(point.test.ratio.interval.high) << ','
          << number(point.adjusted_p);
    } else {
      out << ",,,";
    }
    out << ',' << to_string(point.after.last.verdict) << '\n';
  }
}

void print_json(std::ostream& out, const Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  for (const auto& point : comparison.points) {
    const Record& r = point.before.last;
    Json json{
        {"type", "point"},
        {"change", to_string(point.change)},
        {"variant", r.full_name()},
        {"size", r.size},
        {"dtype", to_string(r.dtype)},
        {"cache", to_string(r.cache)},
        {"tunables",
         static_cast<const std::map<std::string, std::int64_t>&>(r.tunables)},
        {"before_s", point.before.median()},
        {"verdict_after", to_string(point.after.last.verdict)}};
    if (point.after.last.timed()) json["after_s"] = point.after.median();
    if (point.tested) {
      json["ratio"] = point.test.ratio.value;
      json["interval"] = {point.test.ratio.interval.low,
                          point.test.ratio.interval.high};
      json["p_adjusted"] = point.adjusted_p;
    }
    out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  }
  Json summary{{"type", "summary"}, {"points", comparison.points.size()}};
  for (const auto change : {Change::slower, Change::faster, Change::same,
                            Change::undecided, Change::failed}) {
    summary[std::string(to_string(change))] = comparison.count(change);
  }
  summary["only_before"] = comparison.only_before;
  summary["only_after"] = comparison.only_after;
  summary["without_time"] = comparison.without_time;
  out << summary.dump() << '\n';
}

// Two single runs differ by so much without any change: a gate finer
// than that means nothing.
void require_what_runs_can_tell(const Comparison& comparison, double limit) {
  const double told = comparison.told_by_one_run();
  if (1 + limit >= told) return;
  throw UsageError("compare: --fail-if-slower " + percent(limit) +
                   " is finer than one run can tell: " +
                   "runs of one binary differ by up to " + percent(told - 1) +
                   " here; repeat both (--results FILE --force appends a run) "
                   "or ask for more");
}

// Says why, one line a reason.
bool gate_is_shut(const Comparison& comparison,
                  double limit,
                  std::vector<std::string>& reasons) {
  const auto slow =
      std::count_if(comparison.points.begin(), comparison.points.end(),
                    [&](const ComparedPoint& point) {
                      return point.change == Change::slower &&
                             point.test.ratio.value >= 1 + limit;
                    });
  const auto say = [&](std::size_t count, const std::string& what) {
    if (count > 0) reasons.push_back(std::to_string(count) + " points " + what);
  };
  say(static_cast<std::size_t>(slow),
      "are slower by " + percent(limit) + " or more");
  say(comparison.count(Change::failed), "passed before and fail now");
  say(comparison.without_device,
      "had a time before, and now their device is not there");
  const bool nothing = comparison.tested() == 0;
  if (nothing)
    reasons.emplace_back(
        "no point has enough samples on both sides: nothing was compared");
  return nothing || slow > 0 ||
         comparison.count(Change::failed) + comparison.without_device > 0;
}

Options compare_options() {
  return filter_options() + run_options({"format"}) +
         Options{{.flag = "margin",
                  .argument = "PERCENT",
                  .help = "a change up to this is none (2%; one run on a side: "
                          "5%)"},
                 {.flag = "fail-if-slower",
                  .argument = "PERCENT",
                  .help = "exit 1 when a point is slower by this"}};
}

CompareRules rules_of(const Arguments& arguments) {
  CompareRules rules;
  if (const auto* setting = arguments.find("margin"))
    rules.margin = rules.margin_of_one_run = parse_percent(*setting);
  return rules;
}

// 0.05: a slower point whose ratio is 1.05 or more.
std::optional<double> gate_of(const Arguments& arguments, double margin) {
  const auto* setting = arguments.find("fail-if-slower");
  if (setting == nullptr) return {};
  const double limit = parse_percent(*setting);
  if (limit < margin) {
    setting->refuse("less than the margin, " + percent(margin) +
                    "; give a smaller --margin too");
  }
  return limit;
}

// Writes the points in the order in which they matter and a summary. The
// table leaves out points that are the same and all but a few undecided ones;
// csv and json have all of them. It fails when a point is slower by the limit
// or failed, its device is gone, or nothing was compared.
int compare_sides(const Arguments& arguments, const Streams& streams) {
  if (arguments.positional.size() != 2) {
    throw UsageError(
        "compare: needs two record files, folders or machines: before and "
        "after");
  }
  const auto format = format_of(arguments, {"table", "csv", "json"});
  const auto filter = filter_of(arguments);
  const auto rules = rules_of(arguments);
  const auto limit = gate_of(arguments, rules.margin);
  std::vector<std::string> warnings;
  auto before = load_side(arguments.positional[0], filter, warnings);
  auto after = load_side(arguments.positional[1], filter, warnings);
  const auto comparison = compare_records(std::move(before.records),
                                          std::move(after.records), rules);
  if (limit) require_what_runs_can_tell(comparison, *limit);
  auto& out = streams.out;
  if (format == "csv") {
    print_csv(out, comparison);
  } else if (format == "json") {
    print_json(out, comparison);
  } else {
    out << "before  " << before.title << "\nafter   " << after.title << "\n\n";
    print_table(out, comparison, rules);
  }
  const bool fails = limit && gate_is_shut(comparison, *limit, warnings);
  streams.warn(warnings);
  return fails ? EXIT_FAILURE : EXIT_SUCCESS;
}

const CommandRegistration compare_command(
    {.name = "compare",
     .usage = "<before> <after> [options]",
     .help = "Says for each point that both have whether it became slower or "
             "faster, stayed the same, or cannot be told. <before>, <after>: a "
             "record file, a folder, or a machine under results/.",
     .options = compare_options,
     .run = compare_sides});

}  // namespace
}  // namespace parlab
