// Does the GPU pay if data must be copied?
#include "page/transfers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text.hpp"
#include "machine/roof.hpp"
#include "page/reference.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

// Whether all extents are the same number, parameters aside, so that it can
// stand for the size.
bool is_one_number(const Entries& entries) {
  return std::ranges::all_of(entries, [](const Entry* entry) {
    const auto& record = entry->record;
    const auto extents = parlab::extents_of(record.workload, record.size);
    return !extents.empty() &&
           std::ranges::count(extents, extents.front()) == std::ssize(extents);
  });
}

// The least time that the link between host and GPU allows, with both
// directions at once; 0 if unknown.
double link_seconds_of(const Record& record, const Measured& measured) {
  const auto* workload = Registry::instance().workload(record.workload);
  if (workload == nullptr) return 0;
  double from_host = 0, to_host = 0;
  for (const auto& array : workload->arrays(record.size, record.dtype)) {
    if (!array.layout_of.empty()) continue;
    (array.role == Role::input ? from_host : to_host) +=
        static_cast<double>(array.bytes());
  }
  double least = 0;
  // the best rate of any run
  for (const auto& run : measured.runs) {
    const double seconds = host_link_seconds(run.device, from_host, to_host);
    if (seconds > 0 && (least == 0 || seconds < least)) least = seconds;
  }
  return least;
}

std::optional<double> fastest_way(const Entries& gpu, Way way) {
  std::optional<double> least;
  for (const auto* entry : gpu) {
    const auto seconds = seconds_with_transfers(*entry, way);
    if (seconds && (!least || *seconds < *least)) least = seconds;
  }
  return least;
}

// " (undecided: 2)", or nothing. Where the winner is not known, neither has
// lost.
std::string undecided(std::size_t count) {
  return count > 0 ? " (undecided: " + std::to_string(count) + ")" : "";
}

// In words, the sizes at which the GPU is faster.
std::string where_it_wins(const Crossover& found) {
  const std::string size =
      found.undecided > 0 ? "size that is decided" : "size";
  if (found.always) return "at every " + size;
  if (found.first != nullptr)
    return "from " + dimensions(found.first->gpu->record) + " on";
  if (!found.in_places) return "at no " + size;
  return "at some sizes up to " + dimensions(found.last->gpu->record) +
         ", at none above";
}
std::string where_it_wins(const std::vector<Duel>& duels, Ratio Duel::*ratio) {
  const auto found = crossover(duels, ratio);
  return where_it_wins(found) + undecided(found.undecided);
}

std::string finding_of(const Journey& journey) {
  auto text = journey.workload + ", " +
              std::string(to_string(journey.pageable().gpu->record.dtype)) +
              ": the GPU is faster than the CPU " +
              where_it_wins(journey.all[0], &Duel::kernel) + " with " +
              data_is_there;
  for (const auto way : ways) {
    const auto& all = journey.all[static_cast<std::size_t>(way)];
    if (all.empty()) continue;
    text += std::string("; with ") + name_of(way) + " " +
            where_it_wins(all, &Duel::travelled);
  }
  return text + ".";
}

Chart chart_of_ways(const Journey& journey, const Measured& measured) {
  const auto& measured_at = journey.entries;
  // Other shapes would make steps in the line, so they are left out.
  const auto even = where(
      measured_at, [](const Entry& entry) { return is_one_number({&entry}); });
  const bool one = !even.empty();
  const auto& entries = one ? even : measured_at;
  Series cpu{"best CPU", {}, 0, true, true},
      kernel{std::string("GPU, ") + data_is_there, {}, 1, true, true},
      link{"limit of the link", {}, 5, true, false};
  std::vector<std::pair<Way, Series>> travelled;
  for (const auto way : ways) {
    const auto look = 2 + static_cast<int>(way);
    travelled.push_back(
        {way, {std::string("GPU, ") + name_of(way), {}, look, true, true}});
  }
  for (const auto& size : sizes(entries)) {
    const auto point = of_size(entries, size);
    const auto& record = point.front()->record;
    const double x = one ? static_cast<double>(size.front()) : record.bytes;
    if (const auto* entry = best(on_device(point, false)))
      cpu.points.push_back({x, entry->summary.median});
    const auto gpu = peers(on_device(point, true));
    const auto there =
        where(gpu, [](const Entry& e) { return !e.record.from_host; });
    if (const auto* entry = best(there))
      kernel.points.push_back({x, entry->summary.median});
    for (auto& [way, series] : travelled) {
      if (const auto least = fastest_way(gpu, way))
        series.points.push_back({x, *least});
    }
    const double least = link_seconds_of(record, measured);
    if (least > 0) link.points.push_back({x, least});
  }
  Chart chart{
      .id = "fig-" + anchor("transfers-" + journey.workload),
      .title = finding_of(journey),
      .x = one ? ChartAxis{"n"} : ChartAxis{"bytes of the problem", Unit::byte},
      .y = {"", Unit::second},
      .series = {cpu, kernel},
      .caption = finding_of(journey) +
                 " Each point is the fastest variant at its size."};
  for (const auto& [way, series] : travelled) {
    if (!series.points.empty()) chart.series.push_back(series);
  }
  if (!link.points.empty()) chart.series.push_back(link);
  return chart;
}

// Compared with the best CPU variant of the same machine and host_id: the
// folder may hold records of other hosts.
std::optional<Duel> duel_of(const Entry& gpu, const Entries& on_cpu, Way way) {
  const auto* cpu = best(where(on_cpu, [&](const Entry& e) {
    return same_machine(e.record, gpu.record);
  }));
  if (cpu == nullptr) return std::nullopt;
  const auto kernel = speedup(gpu.record, cpu->record);
  const auto travelled =
      speedup(gpu.record, cpu->record,
              way == Way::pinned ? Copies::pinned : Copies::pageable);
  if (!travelled || (!kernel && way != Way::overlapped)) return std::nullopt;
  return Duel{cpu, &gpu, kernel.value_or(Ratio{}), *travelled};
}

Cell verdict(const std::vector<Duel>& duels, Ratio Duel::*ratio) {
  if (duels.empty()) return {Detail{Cause::not_measured}};
  const auto found = crossover(duels, ratio);
  Cell cell = where_it_wins(found);
  if (found.always) {
    cell.text += ", " + dimensions(found.first->gpu->record) + " and more";
  } else if (found.first == nullptr && !found.in_places) {
    cell.text += " up to " + dimensions(duels.back().gpu->record);
  }
  if (found.undecided > 0)
    cell.note = "more samples are needed to decide at " +
                counted(found.undecided, "size");
  return cell;
}

// With the times at the size of the row.
Cell verdict(const Journey& journey, Way way) {
  const auto& all = journey.all[static_cast<std::size_t>(way)];
  Cell cell = verdict(all, &Duel::travelled);
  const auto& duel = journey.by(way);
  if (!duel) return cell;
  const Text more = cell.note.empty() ? Text() : "; " + cell.note;
  cell.note = Quantity{*seconds_with_transfers(*duel->gpu, way), Unit::second} +
              Text(", ") + as_fast(duel->travelled) + " (" +
              range_of(duel->travelled) +
              behind_of_two(duel->gpu->record, duel->cpu->record) + ")" + more;
  return cell;
}

std::string paid(const Duel& duel) {
  const auto often = executions_to_pay(duel);
  if (!often) return "never";
  return counted(static_cast<std::size_t>(*often), "execution");
}

const Duel* at_size(const std::vector<Duel>& duels, const Size& size) {
  const auto found = std::ranges::find_if(
      duels, [&](const Duel& duel) { return duel.gpu->record.size == size; });
  return found == duels.end() ? nullptr : &*found;
}

// How many of these ratios the GPU wins: "2 of 7".
std::string wins(const std::vector<Ratio>& ratios) {
  const auto won = std::ranges::count_if(
      ratios, [](const Ratio& ratio) { return above(ratio, 1); });
  return of_all(static_cast<std::size_t>(won), ratios.size());
}
// And where too few samples leave that open.
std::string undecided(const std::vector<Ratio>& ratios) {
  return undecided(ratios.size() - static_cast<std::size_t>(
                                       std::ranges::count_if(ratios, decided)));
}
std::vector<Ratio> of_way(const std::vector<Journey>& all, Way way) {
  std::vector<Ratio> ratios;
  for (const auto& journey : all) {
    if (const auto& duel = journey.by(way)) ratios.push_back(duel->travelled);
  }
  return ratios;
}

Look look_of(Way way) {
  constexpr Look looks[] = {Look::square, Look::triangle, Look::diamond};
  return looks[static_cast<std::size_t>(way)];
}

MarkedRow row_of(const Journey& journey) {
  MarkedRow row{.name = journey.workload,
                .note = point_of(journey.pageable().gpu->record),
                .target = "#fig-" + anchor("transfers-" + journey.workload)};
  const auto mark = [&](const Ratio& ratio, Look look, const char* how) {
    row.marks.push_back({ratio.value, look,
                         how + (": " + in_words(as_fast_as(ratio)) +
                                "the CPU, " + in_words(range_of(ratio)))});
  };
  row.says = {in_words(as_fast(journey.kernel)) + ", " + data_is_there};
  for (const auto way : ways) {
    const auto& duel = journey.by(way);
    if (!duel) continue;
    mark(duel->travelled, look_of(way), name_of(way));
    if (way != Way::pinned)
      row.says.push_back(in_words(as_fast(duel->travelled)) + ", " +
                         name_of(way));
  }
  mark(journey.kernel, Look::disc, data_is_there);
  return row;
}

// The answer in a sentence and a picture.
std::vector<Block> does_it_pay(const std::vector<Journey>& all) {
  if (all.empty()) return {};
  std::vector<Ratio> kernels;
  for (const auto& journey : all)
    kernels.push_back(journey.kernel);
  std::string sentence =
      "At large sizes the GPU beats the best CPU variant in " + wins(kernels) +
      " workloads with data on the GPU" + undecided(kernels);
  for (const auto way : ways) {
    if (const auto some = of_way(all, way); !some.empty())
      sentence +=
          ", in " + wins(some) + " with " + name_of(way) + undecided(some);
  }
  Strip strip{.id = "fig-transfers",
              .title = sentence + ".",
              .logarithmic = true,
              .left = "the CPU is faster",
              .right = "the GPU is faster",
              .key = {{Look::disc, data_is_there}},
              .leads = "Each row links to the times at all sizes.",
              .caption =
                  "Time of the best CPU variant relative to that of the GPU, "
                  "on the same host. Pageable copies: ordinary memory, copied "
                  "before and after the kernel. Pinned copies: the same with "
                  "pinned memory. Copies while computing: pinned memory, "
                  "copied in chunks while the kernel runs."};
  for (const auto way : ways)
    strip.key.push_back({look_of(way), name_of(way)});
  for (const auto& journey : all)
    strip.rows.push_back(row_of(journey));
  logarithmic_axis(strip);
  return {Paragraph{strip.title}, strip};
}

}  // namespace

std::vector<Duel> duels(const Entries& entries, Way way) {
  std::vector<Duel> found;
  for (const auto& size : sizes(entries)) {
    const auto point = of_size(entries, size);
    std::multimap<double, const Entry*> by_time;
    for (const auto* entry : peers(on_device(point, true))) {
      if (const auto seconds = seconds_with_transfers(*entry, way))
        by_time.emplace(*seconds, entry);
    }
    for (const auto& [seconds, gpu] : by_time) {
      if (const auto duel = duel_of(*gpu, on_device(point, false), way)) {
        found.push_back(*duel);
        break;
      }
    }
  }
  return found;
}

Crossover crossover(const std::vector<Duel>& duels, Ratio Duel::*ratio) {
  Crossover found;
  bool lost = false;
  for (auto duel = duels.rbegin(); duel != duels.rend(); ++duel) {
    if (!decided(*duel.*ratio)) {
      ++found.undecided;
    } else if (!above(*duel.*ratio, 1)) {
      lost = true;
    } else {
      if (found.last == nullptr) found.last = &*duel;
      if (lost) {
        found.in_places = true;
      } else {
        found.first = &*duel;
      }
    }
  }
  found.always = found.first != nullptr && !lost;
  return found;
}

std::optional<double> executions_to_pay(const Duel& duel) {
  const double gain = duel.cpu->summary.median - duel.gpu->summary.median;
  if (!(gain > 0)) return std::nullopt;
  const double moved =
      *seconds_with_transfers(*duel.gpu) - duel.gpu->summary.median;
  return std::max(1.0, std::ceil(moved / gain));
}

Section transfers(const Measured& measured) {
  Section section{.id = "transfers",
                  .title = "Does the GPU pay if data must be copied?",
                  .label = "Does the GPU pay?"};
  if (!measured.has_gpu()) {
    section.blocks = {
        Paragraph{"There is no GPU here, so nothing has to be copied."}};
    return section;
  }
  auto table = folded_table(
      "From which size on, workload by workload",
      {"Workload", "CPU", "GPU kernel",
       std::string("GPU wins, ") + data_is_there, name_of(Way::pageable),
       name_of(Way::pinned), name_of(Way::overlapped), "Break-even after"});
  const auto all_journeys = journeys(measured);
  std::set<std::string> not_both;
  for (const auto& reference : references(measured))
    not_both.insert(reference.workload);
  std::vector<Block> charts;
  for (const auto& journey : all_journeys) {
    const auto& workload = journey.workload;
    not_both.erase(workload);
    const auto &cpu = *journey.pageable().cpu, &gpu = *journey.pageable().gpu;
    const Link link{workload, "#fig-" + anchor("transfers-" + workload)};
    const auto of_variant = [](const Entry& entry) {
      const Quantity time{entry.summary.median, Unit::second};
      return Cell(time, setting(entry.record));
    };
    table.add({Cell(link, dimensions(gpu.record)), of_variant(cpu),
               of_variant(gpu), verdict(journey.all[0], &Duel::kernel),
               verdict(journey, Way::pageable), verdict(journey, Way::pinned),
               verdict(journey, Way::overlapped), paid(journey.pageable())});
    charts.push_back(chart_of_ways(journey, measured));
  }
  section.blocks = does_it_pay(all_journeys);
  if (!table.rows.empty()) {
    section.blocks.insert(
        section.blocks.end(),
        {table,
         remark("The size from which the GPU is faster than the best CPU "
                "variant, with its data already on the GPU or copied "
                "there and back. It wins if the whole 95 % interval is "
                "above 1; too few samples for one leave that undecided. The "
                "kernel is the fastest one with pageable "
                "copies. Pageable copies: ordinary memory of the host, "
                "copied before and after one execution. Pinned copies: "
                "the same with pinned memory. Copies while computing: "
                "pinned memory, copied in chunks while the kernel runs. "
                "The last column shows how many executions on the same "
                "data pay for pageable copies, at the size of the row.")});
  }
  if (!not_both.empty()) {
    section.add(Paragraph{
        "Not measured both on the CPU and, with transfers, on the GPU: " +
        join(not_both, ", ") + "."});
  }
  if (!charts.empty()) {
    section.add(Section{.title = "Times at all sizes",
                        .blocks = charts,
                        .folded = true,
                        .printed = true});
  }
  return section;
}

std::vector<Journey> journeys(const Measured& measured) {
  std::vector<Journey> found;
  if (!measured.has_gpu()) return found;
  for (const auto& reference : references(measured)) {
    auto entries = of_dtype(of_workload(all(measured), reference.workload),
                            reference.dtype);
    for (const auto& entry : measured.from_host) {
      if (entry.record.workload == reference.workload &&
          entry.record.dtype == reference.dtype)
        entries.push_back(&entry);
    }
    Journey journey;
    journey.workload = reference.workload;
    journey.entries = of_usual_parameters(entries);
    for (const auto way : ways)
      journey.all[static_cast<std::size_t>(way)] = duels(journey.entries, way);
    const auto& pageable = journey.all[0];
    if (pageable.empty()) continue;
    const auto* duel = at_size(pageable, reference.size);
    if (duel == nullptr) duel = &pageable.back();
    const auto& size = duel->gpu->record.size;
    for (std::size_t way = 0; way < 3; ++way) {
      if (const auto* there = at_size(journey.all[way], size))
        journey.there[way] = *there;
    }
    journey.kernel = duel->kernel;
    // With copies another kernel may be the fastest.
    for (const auto* gpu :
         peers(on_device(of_size(journey.entries, size), true))) {
      const auto ratio = speedup(gpu->record, duel->cpu->record);
      if (ratio && ratio->value > journey.kernel.value) journey.kernel = *ratio;
    }
    found.push_back(std::move(journey));
  }
  std::ranges::stable_sort(found, std::greater{}, [](const Journey& one) {
    return one.pageable().travelled.value;
  });
  return found;
}

std::optional<Headline> of_travel(const Measured& measured) {
  const auto all = journeys(measured);
  if (all.empty()) return std::nullopt;
  const auto pageable = of_way(all, Way::pageable);
  return Headline{wins(pageable),
                  "workloads beat the CPU with " +
                      std::string(name_of(Way::pageable)) + undecided(pageable),
                  "#transfers"};
}

}  // namespace parlab::page
