// `parlab reproduce`: measures recorded points of another machine here, and
// tells for each whether its time is the same.
#include <algorithm>
#include <map>
#include <set>

#include "audit/audit.hpp"
#include "cli/record_filter.hpp"
#include "cli/run_request.hpp"
#include "commands/record_files.hpp"
#include "compare/compare.hpp"
#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "page/words.hpp"
#include "places/presence.hpp"
#include "render/formats.hpp"
#include "render/words.hpp"
#include "report/console.hpp"
#include "sweep/interrupt.hpp"

namespace parlab {
namespace {

const std::string not_comparable = "not comparable";

struct Point {
  Runs there, here = {};  // here: without samples if nothing was timed
  Text why = {};          // why it cannot be compared
  Text remark = {};       // differences that allow a comparison
  const ComparedPoint* compared = nullptr;

  std::string result() const {
    return why.empty() ? std::string(to_string(compared->change))
                       : not_comparable;
  }
};

Options reproduce_options() {
  return filter_options() +
         run_options({"format", "results", "time-limit", "device"});
}

Text why_not_run(const Record& record) {
  if (variant_of(record) == nullptr) return "this parlab has no such variant";
  if (!record.for_gpu()) return {};
  const auto why = why_no_gpu();
  return why ? Text(*why) : Text();
}

// In as many runs as it was measured there.
void measure(std::vector<Point>& points, const Arguments& arguments,
             const std::string& results, std::ostream& messages) {
  std::size_t most = 0, runs = 0;
  for (const auto& point : points) {
    most = std::max(most, point.there.samples.size());
    if (point.why.empty()) runs += point.there.samples.size();
  }
  Progress progress(messages);
  progress.start(runs);
  std::size_t done = 0;
  for (std::size_t run = 0; run < most; ++run) {
    for (auto& point : points) {
      if (was_interrupted()) return;
      if (!point.why.empty() || run >= point.there.samples.size()) continue;
      progress.show("measuring " + point.there.last.full_name(),
                    static_cast<double>(done++));
      auto words = arguments_for(point.there.last);
      words.insert(words.begin(), this_program());
      words.insert(words.end(), {"--results", results, "--format", "csv"});
      for (const auto* flag : {"time-limit", "device"}) {
        if (const auto* setting = arguments.find(flag))
          words.insert(words.end(), {std::string("--") + flag, setting->text});
      }
      const auto output = output_of(words);
      if (output.succeeded) continue;
      const auto lines = split(output.text, '\n');
      point.remark = lines.size() > 1 ? lines[lines.size() - 2] : output.text;
    }
  }
}

std::string hardware_of(const Run& run, bool on_gpu) {
  return on_gpu ? run.gpu
                : run.cpu + ", " + std::to_string(run.cores) + " cores";
}

// Times are comparable only if hardware and source are the same.
void judge(Point& point, const Run& there, const Run& here) {
  const Record &theirs = point.there.last, &ours = point.here.last;
  const bool on_gpu = theirs.for_gpu();
  point.remark = {};
  const auto old_place = hardware_of(there, on_gpu),
             new_place = hardware_of(here, on_gpu);
  if (old_place != new_place) {
    point.why =
        "other hardware: " + old_place + " there, " + new_place + " here";
  } else if (theirs.source_hash != ours.source_hash) {
    point.why = "the variant has another source there: hash " +
                theirs.source_hash + ", here " + ours.source_hash;
  } else if (theirs.library != ours.library) {
    point.why = "another library: " + theirs.library + " there, " +
                ours.library + " here";
  } else if (!ours.timed()) {
    point.remark = to_string(ours.verdict);
    if (ours.detail) point.remark += Text(": ") + ours.detail;
  } else if (!same_build(there, here, on_gpu)) {
    point.remark =
        "built by " + there.compiler + " there, " + here.compiler + " here";
    if (there.compiler == here.compiler)
      point.remark = on_gpu ? "other flags, driver or CUDA there"
                            : "other flags of the compiler there";
  }
}

Table table_of(const std::vector<Point>& points) {
  Table table{
      .key = "point",
      .columns = {
          {"result", "result"},
          {"variant", "variant"},
          {"point", "point"},
          {"tunables", "tunables"},
          {"there_s", "there", true},
          {"here_s", "here", true},
          {.key = "ratio", .title = "ratio", .right = true, .interval = true},
          {.title = "(95%)"},
          {"why"}}};
  for (const auto& point : points) {
    const Record& record = point.there.last;
    const Quantity there{point.there.median(), Unit::second};
    Text here, ratio, range;
    if (point.compared != nullptr && point.compared->tested) {
      const auto& [value, ends] = point.compared->test.ratio;
      const Quantity known{value, Unit::factor, ends};
      ratio = known;
      range = Range{known};
    }
    if (!point.here.samples.empty()) {
      const Quantity median{point.here.median(), Unit::second};
      here = median;
      if (ratio.empty())
        ratio = Quantity{median.value / there.value, Unit::factor};
    }
    table.add({point.result(), record.full_name(), record.point(),
               to_string(record.tunables), there, here, ratio, range,
               point.why.empty() ? point.remark : point.why});
  }
  return table;
}

// The reasons, and how many points have each: most points have one.
List reasons_of(const std::vector<Point>& points) {
  std::vector<std::pair<std::string, std::vector<const Point*>>> reasons;
  for (const auto& point : points) {
    const auto why = words(point.why.empty() ? point.remark : point.why);
    if (why.empty()) continue;
    auto same = std::ranges::find(
        reasons, why, [](const auto& reason) { return reason.first; });
    if (same == reasons.end()) same = reasons.insert(same, {why, {}});
    same->second.push_back(&point);
  }
  List list;
  for (const auto& [why, of] : reasons) {
    const auto& first = of.front()->there.last;
    list.items.push_back(
        first.full_name() + " " + first.point() +
        (of.size() > 1 ? " and " + std::to_string(of.size() - 1) + " more: "
                       : ": ") +
        why);
  }
  return list;
}

Document document_of(const std::vector<Point>& points, const Run& there,
                     const Run* here) {
  const auto who = [](const Run& run) {
    return run.machine + ", commit " + run.commit + ", " +
           run.date.substr(0, 10);
  };
  std::map<std::string, std::int64_t> counts;
  for (const auto& point : points)
    ++counts[point.result()];
  Text text = page::counted(points.size(), "point");
  for (const auto& [result, count] : counts)
    text += (result == counts.begin()->first ? ": " : ", ") + Text(count) +
            " " + result;
  if (std::ranges::all_of(
          points, [](const Point& point) { return point.compared == nullptr; }))
    text += "; nothing could be compared";
  return {.blocks = {Table{.columns = {{}, {}},
                           .rows = {row_of({"there", who(there)}),
                                    row_of({"here", here == nullptr
                                                        ? "nothing was measured"
                                                        : who(*here)})}},
                     Paragraph{text + "."}, table_of(points),
                     reasons_of(points),
                     remark("ratio: time here / there. The words are those of "
                            "parlab compare, which also says what one run can "
                            "tell.")}};
}

int reproduce(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "csv", "json"});
  const auto filter = filter_of(arguments);
  auto loaded = load_all(arguments.positional);
  std::erase_if(loaded.records, [&](const Record& record) {
    return !filter(record) || !record.timed() || record.emulated;
  });
  if (loaded.records.empty())
    throw UsageError("reproduce: no record with a time is left to measure");
  require_one_machine(loaded.records,
                      "reproduce: '" + arguments.positional.front() + "'");
  std::vector<Point> points;
  for (auto& runs : runs_of_points(loaded.records)) {
    auto why = why_not_run(runs.last);
    points.push_back({.there = std::move(runs), .why = std::move(why)});
  }
  const InterruptGuard guard;
  const Temporary folder(new_temporary_folder("parlab-reproduce"));
  const auto asked = file_asked_for(arguments, "results");
  const auto results =
      asked.empty() ? (folder.path() / "here.jsonl").string() : asked;
  measure(points, arguments, results, streams.messages);
  if (was_interrupted()) {
    streams.messages << "parlab: interrupted; "
                     << (asked.empty()
                             ? "--results FILE would keep what was measured"
                             : "what was measured is in " + asked)
                     << std::endl;
    return exit_interrupted;
  }

  std::error_code none;
  const auto ours =
      std::filesystem::exists(results, none) ? load_records(results) : Loaded{};
  std::map<std::string, Runs> here;
  for (auto& runs : runs_of_points(ours.records))
    here.emplace(runs.last.identity(), std::move(runs));
  std::set<std::string> comparable;
  for (auto& point : points) {
    if (!point.why.empty()) continue;
    const auto found = here.find(point.there.last.identity());
    if (found == here.end()) {
      point.why = "nothing was measured here: " + point.remark;
      continue;
    }
    point.here = found->second;
    judge(point, loaded.runs.at(point.there.last.run),
          ours.runs.at(point.here.last.run));
    if (point.why.empty()) comparable.insert(point.there.last.identity());
  }
  const auto of_comparable = [&](std::vector<Record> records) {
    std::erase_if(records, [&](const Record& record) {
      return comparable.count(record.identity()) == 0;
    });
    return records;
  };
  const auto comparison = compare_records(of_comparable(loaded.records),
                                          of_comparable(ours.records));
  for (const auto& compared : comparison.points) {
    std::ranges::find(
        points, compared.before.last.identity(),
        [](const Point& point) { return point.there.last.identity(); })
        ->compared = &compared;
  }
  for (auto& point : points) {
    if (point.why.empty() && point.compared == nullptr)
      point.why = "it has no time here: " + point.remark;
  }
  const auto& there = loaded.runs.at(loaded.records.back().run);
  const auto* last = ours.records.empty() ? nullptr : &ours.records.back();
  const auto* now = last == nullptr ? nullptr : &ours.runs.at(last->run);
  streams.print(document_of(points, there, now), table_of(points), format);
  streams.warn(loaded.warnings);
  const bool reproduced =
      !comparison.points.empty() &&
      std::ranges::all_of(comparison.points, [](const ComparedPoint& point) {
        return point.change == Change::same ||
               point.change == Change::undecided;
      });
  return reproduced ? EXIT_SUCCESS : EXIT_FAILURE;
}

const CommandRegistration reproduce_command(
    {.name = "reproduce",
     .usage = "<records>... [options]",
     .help = "Measures here what the records of another machine have, with the "
             "same workload, size, data type, variant, tunables and caches, as "
             "often as they were measured there. Says of each point: same, "
             "faster, slower, undecided, or not comparable and why. --results "
             "FILE keeps what was measured.",
     .options = reproduce_options,
     .run = reproduce,
     .least = 1,
     .needs = "a record file: reproduce their.jsonl"});

}  // namespace
}  // namespace parlab
