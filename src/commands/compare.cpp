// `parlab compare`: two sets of records, compared point by point.
#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>

#include "cli/lists.hpp"
#include "cli/record_filter.hpp"
#include "commands/record_files.hpp"
#include "commands/sqlite.hpp"
#include "compare/compare.hpp"
#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "page/words.hpp"
#include "record/published.hpp"
#include "record/store.hpp"
#include "render/formats.hpp"
#include "render/words.hpp"
#include "report/console.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

void add_points(Database& database, const Comparison& comparison,
                const std::array<std::string, 2>& sides) {
  std::vector<TableColumn> columns;
  for (const auto* name :
       {"workload", "backend", "variant", "size", "dtype", "cache", "inputs",
        "tunables", "change", "before", "after"})
    columns.push_back({name, true});
  for (const auto* name :
       {"bytes", "after_s", "ratio", "ratio_low", "ratio_high"})
    columns.push_back({name, false});
  Database::Table table(database, "records", columns);
  for (const auto& point : comparison.points) {
    const Record& r = point.after.last;
    const auto& [ratio, ends] = point.test.ratio;
    std::vector<std::string> cells{r.workload,
                                   r.backend,
                                   r.variant,
                                   to_string(r.size),
                                   std::string(to_string(r.dtype)),
                                   std::string(to_string(r.cache)),
                                   std::string(to_string(r.inputs)),
                                   to_string(r.tunables),
                                   std::string(to_string(point.change)),
                                   sides[0],
                                   sides[1]};
    if (point.tested) {
      for (const double value :
           {r.bytes, point.after.median(), ratio, ends.low, ends.high})
        cells.push_back(significant(value, 9, 9));
    }
    table.add(cells);
  }
}

// The picture to draw: FILE.svg or FILE.png. Throws UsageError for another one.
fs::path picture_of(const Arguments& arguments) {
  const fs::path picture = arguments.text("plot");
  const auto form = picture.extension();
  if (arguments.find("plot") == nullptr || form == ".svg" || form == ".png")
    return picture;
  throw UsageError("--plot: '" + picture.string() +
                   "' is no picture: FILE.svg or FILE.png");
}

// sides: what was compared. Throws std::runtime_error if nothing can be drawn.
void draw_ratios(const Comparison& comparison,
                 const std::array<std::string, 2>& sides,
                 const fs::path& picture) {
  const auto form = picture.extension();
  const auto out = fs::absolute(picture).replace_extension();
  const Temporary data(out.string() + ".db");
  write_beside(data.path(), [&](const fs::path& part) {
    Database database(part.string(), Database::Access::create);
    // Without one transaction the disk confirms each row.
    database.run("BEGIN");
    add_points(database, comparison, sides);
    add_names(database);
    database.run("COMMIT");
  });
  const auto tree = fs::absolute(published_folder()) / "../..";
  const auto drawn = output_of(
      {"/bin/bash", "-pc", "cd \"$1\" && exec scripts/figure.sh \"${@:2}\"",
       "bash", tree.string(), data.path().string(),
       "scripts/figures/compare.gp", out.string()},
      {{"PARLAB", this_program().string()},
       {"FORMATS", form.string().substr(1)}});
  if (!drawn.succeeded || !fs::exists(picture))
    throw std::runtime_error("--plot: no picture: " + drawn.text);
}

constexpr std::size_t rows_of_a_change = 10;
constexpr Change changes_counted[] = {Change::slower, Change::faster,
                                      Change::same, Change::undecided,
                                      Change::failed};

Text share_of(double share) {
  return Quantity{share, Unit::fraction};
}

struct Side {
  std::vector<Record> records;
  std::string title;  // "results/x: nvidia-h200, commit bcb473049c, 2026-11-21"
};

Side load_side(const std::string& name, const RecordFilter& filter,
               std::vector<std::string>& warnings) {
  auto loaded = load_all({name});
  std::ranges::move(loaded.warnings, std::back_inserter(warnings));
  std::erase_if(loaded.records,
                [&](const Record& record) { return !filter(record); });
  if (loaded.records.empty())
    throw UsageError("compare: '" + name + "' has no records to compare");
  require_one_machine(loaded.records, "compare: '" + name + "'");
  const Run& last = loaded.runs.at(loaded.records.back().run);
  return {std::move(loaded.records), record_path(name) + ": " + last.machine +
                                         ", commit " + last.commit + ", " +
                                         last.date.substr(0, 10)};
}

// A time, or why there is none.
Cell cell_of(const Runs& runs) {
  if (!runs.last.timed()) return {Text(), runs.last.verdict};
  return Quantity{runs.median(), Unit::second};
}

Row row_of_point(const ComparedPoint& point) {
  const Record& r = point.before.last;
  const bool usual = r.inputs == InputKind::uniform;
  const auto& [value, ends] = point.test.ratio;
  const Quantity ratio{value, Unit::factor, ends};
  const bool tested = point.tested;
  return row_of({point.change, r.full_name(), r.workload, r.backend, r.variant,
                 size_text(r.workload, r.size) + " " + Text(r.dtype) + " " +
                     r.cache + (usual ? Text() : " " + Text(r.inputs)),
                 to_string(r.size), r.dtype, r.cache, r.inputs,
                 to_string(r.tunables), cell_of(point.before),
                 cell_of(point.after), tested ? Text(ratio) : Text(),
                 tested                           ? Text(Range{ratio})
                 : point.change == Change::failed ? Text()
                                                  : Text("few samples"),
                 tested ? Text(Quantity{point.adjusted_p}) : Text(),
                 point.after.last.verdict,
                 point.runs_needed > 0 ? Text(point.runs_needed) : Text()});
}

Table table_of_points(const std::vector<const ComparedPoint*>& points) {
  Table table{
      .key = "point",
      .columns = {
          {"change", "change"},
          {.title = "variant"},
          {"workload"},
          {"backend"},
          {"variant"},
          {.title = "size, dtype, caches"},
          {"size"},
          {"dtype"},
          {"cache"},
          {"inputs"},
          {"tunables", "tunables"},
          {"before_s", "before", true},
          {"after_s", "after", true},
          {.key = "ratio", .title = "ratio", .right = true, .interval = true},
          {.title = "(95%)"},
          {"p_adjusted"},
          {"verdict_after"},
          {"runs_needed", "runs", true}}};
  for (const auto* point : points)
    table.rows.push_back(row_of_point(*point));
  return table;
}

std::vector<const ComparedPoint*> all_of(const Comparison& comparison) {
  std::vector<const ComparedPoint*> points;
  for (const auto& point : comparison.points)
    points.push_back(&point);
  return points;
}

// For each variant and size, the setting that is fastest now. But points that
// fail or are slower count with any setting.
std::vector<const ComparedPoint*> best_settings(const Comparison& comparison) {
  std::map<std::string, const ComparedPoint*> best;
  const auto key_of = [](const ComparedPoint& point) {
    const Record& r = point.before.last;
    return r.point() + " " + r.full_name();
  };
  for (const auto& point : comparison.points) {
    if (!point.after.last.timed()) continue;
    auto& known = best[key_of(point)];
    if (known == nullptr || point.after.median() < known->after.median())
      known = &point;
  }
  auto points = all_of(comparison);
  std::erase_if(points, [&](const ComparedPoint* point) {
    return point->change == Change::same ||
           (point->change != Change::slower &&
            point->change != Change::failed && best[key_of(*point)] != point);
  });
  return points;
}

// Some points of each kind of change.
std::vector<const ComparedPoint*> most_important(const Comparison& comparison) {
  std::map<Change, std::size_t> count;
  auto points = best_settings(comparison);
  std::erase_if(points, [&](const ComparedPoint* point) {
    return ++count[point->change] > rows_of_a_change;
  });
  return points;
}

Table table_of_counts(const Comparison& comparison) {
  Table table{.key = "summary", .rows = {{}}};
  const auto add = [&](std::string_view key, std::size_t count) {
    table.columns.push_back({std::string(key)});
    table.rows.front().cells.push_back(count);
  };
  add("points", comparison.points.size());
  for (const auto change : changes_counted)
    add(to_string(change), comparison.count(change));
  add("only_before", comparison.only_before);
  add("only_after", comparison.only_after);
  add("without_time", comparison.without_time);
  return table;
}

// The middle half of all ratios, which shows a drift of the whole machine.
Text spread_of(const Comparison& comparison) {
  std::vector<double> ratios;
  for (const auto& point : comparison.points) {
    if (point.tested) ratios.push_back(point.test.ratio.value);
  }
  if (ratios.size() < 4) return {};
  std::ranges::sort(ratios);
  const auto at = [&](std::size_t i) {
    return Quantity{ratios[i], Unit::factor};
  };
  return Text("The median ratio is ") + at(ratios.size() / 2) +
         ", the middle half of the ratios ranges from " +
         at(ratios.size() / 4) + " to " + at(ratios.size() * 3 / 4) + ".";
}

Text counts_of(const Comparison& comparison) {
  Text text = page::counted(comparison.points.size(), "point") + " compared";
  for (const auto change : changes_counted) {
    text += Text(change == changes_counted[0] ? ": " : ", ") +
            comparison.count(change) + " " + change;
  }
  return text + ".";
}

Text not_compared(const Comparison& comparison) {
  return "Not compared: " + page::counted(comparison.only_before, "point") +
         " only before, " + Text(comparison.only_after) + " only after, " +
         comparison.without_time + " without a time.";
}

// The counts come first. all: every point.
Document document_of(const Comparison& comparison, const CompareRules& rules,
                     const std::array<std::string, 2>& sides, bool all) {
  Document document{.blocks = {Table{.columns = {{}, {}},
                                     .rows = {row_of({"before", sides[0]}),
                                              row_of({"after", sides[1]})}}}};
  const auto say = [&](Text text, bool small = true) {
    document.add(Paragraph{text, small});
  };
  say(counts_of(comparison), false);
  say(spread_of(comparison));
  say(not_compared(comparison));
  const auto points = all ? all_of(comparison) : most_important(comparison);
  document.add(table_of_points(points));
  const auto left = comparison.points.size() - points.size() -
                    (all ? 0 : comparison.count(Change::same));
  if (left > 0) {
    say("The table leaves out " + Text(left) +
        " more points that changed, are undecided or have another setting: "
        "--all lists them.");
  }
  if (const auto needed = comparison.runs_needed(); needed > 0) {
    say("Undecided: " +
        page::counted(comparison.count(Change::undecided), "point") + ". " +
        Text(needed) +
        " runs of each side would decide most of them (--results FILE --force "
        "appends a run; runs: for one point, 20 or more where it says 20). On "
        "CPUs that others may have a part of, or whose spread between runs was "
        "not measured, one run on a side is never enough.");
  }
  const auto by_runs = comparison.by_runs();
  Text margin = share_of(rules.margin);
  if (by_runs < comparison.points.size()) {
    say("One run on a side does not show how much runs of one binary differ. "
        "The interval includes what 'parlab machine --measure' found, or what "
        "is usual. To see it, repeat both (--results FILE --force appends a "
        "run).");
    const auto of_one_run = share_of(rules.margin_of_one_run);
    if (by_runs == 0) {
      margin = of_one_run;
    } else if (rules.margin != rules.margin_of_one_run) {
      margin += " (one run on a side: " + of_one_run + ")";
    }
  }
  say("ratio: time after / before. slower, faster: by more than " + margin +
      ", wrong at " + share_of(rules.error) +
      " for all points together (Holm). same: within that, wrong at " +
      share_of(rules.error) + " a point. undecided: the samples do not tell.");
  return document;
}

// Two single runs differ by this much without any change, so a finer gate means
// nothing.
void require_what_runs_can_tell(const Comparison& comparison, double limit) {
  const double told = comparison.told_by_one_run();
  if (1 + limit >= told) return;
  throw UsageError("compare: --fail-if-slower " + words(share_of(limit)) +
                   " is finer than one run can tell: " +
                   "runs of one binary differ by up to " +
                   words(share_of(told - 1)) +
                   " here; repeat both (--results FILE --force appends a run) "
                   "or ask for more");
}

// Gives the reasons, one line each.
bool gate_is_shut(const Comparison& comparison, double limit,
                  std::vector<std::string>& reasons) {
  const auto slow =
      std::ranges::count_if(comparison.points, [&](const ComparedPoint& point) {
        return point.change == Change::slower &&
               point.test.ratio.value >= 1 + limit;
      });
  const auto say = [&](std::size_t count, const std::string& what) {
    if (count > 0)
      reasons.push_back(what + ": " + page::counted(count, "point"));
  };
  say(static_cast<std::size_t>(slow),
      "slower by " + words(share_of(limit)) + " or more");
  say(comparison.count(Change::failed), "passed before and fails now");
  say(comparison.without_device,
      "had a time before, and now its device is not there");
  const bool nothing = comparison.tested() == 0;
  if (nothing)
    reasons.emplace_back(
        "no point has enough samples on both sides: nothing was compared");
  return nothing || slow > 0 ||
         comparison.count(Change::failed) + comparison.without_device > 0;
}

Options compare_options() {
  return filter_options() + run_options({"format"}) +
         Options{
             {.flag = "margin",
              .argument = "PERCENT",
              .help = "a change up to this is none (2%; one run on a side: "
                      "5%)"},
             {.flag = "fail-if-slower",
              .argument = "PERCENT",
              .help = "exit 1 when a point is slower by this"},
             {.flag = "plot",
              .argument = "FILE",
              .help = "draws the ratios by size: FILE.svg or FILE.png"},
             {.flag = "all", .help = "every point, not the most important"}};
}

CompareRules rules_of(const Arguments& arguments) {
  CompareRules rules;
  if (const auto* setting = arguments.find("margin"))
    rules.margin = rules.margin_of_one_run = parse_percent(*setting);
  return rules;
}

// 0.05 means: fail for a slower point whose ratio is 1.05 or more.
std::optional<double> gate_of(const Arguments& arguments, double margin) {
  const auto* setting = arguments.find("fail-if-slower");
  if (setting == nullptr) return {};
  const double limit = parse_percent(*setting);
  if (limit < margin) {
    setting->refuse("less than the margin, " + words(share_of(margin)) +
                    "; give a smaller --margin too");
  }
  return limit;
}

// Writes a summary, and the points in order of importance. The table has the
// most important ones; csv and json have all. Fails if a point is slower by the
// limit or failed, if its device is gone, or if nothing was compared.
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
  const auto picture = picture_of(arguments);
  std::vector<std::string> warnings;
  auto before = load_side(arguments.positional[0], filter, warnings);
  auto after = load_side(arguments.positional[1], filter, warnings);
  const auto comparison = compare_records(std::move(before.records),
                                          std::move(after.records), rules);
  if (limit) require_what_runs_can_tell(comparison, *limit);
  streams.print(document_of(comparison, rules, {before.title, after.title},
                            arguments.on("all")),
                table_of_points(all_of(comparison)), format);
  if (format == "json") streams.print(table_of_counts(comparison), format);
  if (!picture.empty()) {
    Progress progress(streams.messages);
    progress.show("drawing " + picture.string());
    draw_ratios(comparison, {before.title, after.title}, picture);
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
