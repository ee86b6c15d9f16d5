#include "page/transfers.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "machine/roof.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

// All extents are the same number, parameters aside: that number
// can stand for the size.
bool is_one_number(const Entries& entries) {
  return std::ranges::all_of(entries, [](const Entry* entry) {
    const auto& size = entry->record.size;
    const auto extents = extents_of(entry->record);
    return extents > 0 &&
           std::all_of(size.begin(), size.begin() + static_cast<long>(extents),
                       [&](auto extent) { return extent == size.front(); });
  });
}

// What the link between host and GPU allows, both ways at once;
// 0 when it is not known.
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
  // what was reached once can be reached
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

Chart chart_of_ways(const Entries& entries, const std::string& workload,
                    const Measured& measured) {
  const bool one = is_one_number(entries);
  Series cpu{"best CPU", {}, 0, true, true},
      kernel{"GPU, kernel only", {}, 1, true, true},
      link{"what the link allows", {}, 5, true, false};
  std::pair<Way, Series> ways[] = {
      {Way::pageable, {"GPU, with transfers", {}, 2, true, true}},
      {Way::pinned,
       {"GPU, with transfers of pinned memory", {}, 3, true, true}},
      {Way::overlapped,
       {"GPU, transfers under the kernel", {}, 4, true, true}}};
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
    for (auto& [way, series] : ways) {
      if (const auto least = fastest_way(gpu, way))
        series.points.push_back({x, *least});
    }
    const double least = link_seconds_of(record, measured);
    if (least > 0) link.points.push_back({x, least});
  }
  Chart chart{
      .id = "fig-" + anchor("transfers-" + workload),
      .title = workload +
               ": time of the CPU, of the GPU, and of the GPU with transfers",
      .x = one ? ChartAxis{"n"} : ChartAxis{"bytes of the problem", Unit::byte},
      .y = {"", Unit::second},
      .series = {cpu, kernel},
      .caption = workload + ", " +
                 std::string(parlab::to_string(entries.front()->record.dtype)) +
                 ": the fastest variant of each at every size"};
  for (const auto& [way, series] : ways) {
    if (!series.points.empty()) chart.series.push_back(series);
  }
  if (!link.points.empty()) chart.series.push_back(link);
  return chart;
}

// Against the best CPU of the same machine and host_id: the folder may hold
// records of others.
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
  Cell cell;
  if (found.first != nullptr) {
    const auto size = dimensions(found.first->gpu->record);
    cell.text = found.always ? "at every size, " + size + " and more"
                             : "from " + size + " on";
  } else {
    cell.text = found.in_places ? "at some sizes, but not at the largest"
                                : "at no size up to " +
                                      dimensions(duels.back().gpu->record);
  }
  if (found.undecided > 0)
    cell.note = "too few samples to say at " + counted(found.undecided, "size");
  return cell;
}

// With what it takes at the largest size, which is said where it is not that
// of the row.
Cell verdict(const std::vector<Duel>& duels, Way way, const Size& of_row) {
  Cell cell = verdict(duels, &Duel::travelled);
  if (duels.empty()) return cell;
  const auto& last = duels.back();
  const auto& record = last.gpu->record;
  const Text more = cell.note.empty() ? Text() : "; " + cell.note;
  cell.note = Quantity{*seconds_with_transfers(*last.gpu, way), Unit::second} +
              Text(record.size == of_row ? "" : " at " + dimensions(record)) +
              ", " + times(last.travelled) + " the speed of the CPU (" +
              interval(last.travelled) +
              behind_of_two(last.gpu->record, last.cpu->record) + ")" + more;
  return cell;
}

std::string paid(const Duel& duel) {
  const auto often = executions_to_pay(duel);
  if (!often) return "never";
  return counted(static_cast<std::size_t>(*often), "execution");
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
    } else if (!lost) {
      found.first = &*duel;
    } else {
      found.in_places = true;
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
  Section section{
      .id = "transfers", .title = "Transfers", .label = "Transfers"};
  if (!measured.has_gpu()) {
    section.blocks = {Paragraph{"No GPU here: nothing has to travel."}};
    return section;
  }
  auto table = table_of({"Workload", "CPU", "GPU kernel",
                         "GPU wins, data on the GPU", "data copied, pageable",
                         "pinned", "overlapped", "Paid for by"});
  std::vector<std::string> not_both;
  std::vector<Block> charts;
  for (const auto& workload : measured.workloads()) {
    auto entries = of_workload(all(measured), workload);
    const auto dtype = main_dtype(entries);
    for (const auto& entry : measured.from_host) {
      if (entry.record.workload == workload && !entries.empty())
        entries.push_back(&entry);
    }
    const auto some = of_same_parameters(of_dtype(entries, dtype));
    const auto fought = duels(some), pinned = duels(some, Way::pinned),
               overlapped = duels(some, Way::overlapped);
    if (fought.empty()) {
      not_both.push_back(workload);
      continue;
    }
    const auto& [cpu, gpu, kernel, travelled] = fought.back();
    const auto& size = gpu->record.size;
    table.rows.push_back(
        {{{Link{workload, "#fig-" + anchor("transfers-" + workload)},
           dimensions(gpu->record) + " at the largest"},
          {Quantity{cpu->summary.median, Unit::second}, setting(cpu->record)},
          {Quantity{gpu->summary.median, Unit::second}, setting(gpu->record)},
          verdict(fought, &Duel::kernel),
          verdict(fought, Way::pageable, size),
          verdict(pinned, Way::pinned, size),
          verdict(overlapped, Way::overlapped, size),
          {paid(fought.back())}}});
    charts.push_back(chart_of_ways(some, workload, measured));
  }
  if (!table.rows.empty()) {
    section.blocks = {
        Paragraph{
            "The size from which the GPU is faster than the best of the CPU, "
            "when the data is there already and when it has to go there and "
            "the result come back. It wins where the 95 % interval says so; "
            "the kernel is the one that is the fastest with pageable "
            "transfers. Transfers are from and to ordinary, pageable memory "
            "before and after one execution; the same from and to pinned "
            "memory; or overlapped: in pieces, from and to pinned memory, "
            "under the computation. The last column says how many executions "
            "on the same data pay for pageable transfers at the largest size."},
        table};
  }
  if (!not_both.empty()) {
    section.blocks.push_back(
        Paragraph{"No size was measured on the CPU and, transfers included, on "
                  "the GPU: " +
                  join(not_both, ", ") + "."});
  }
  std::move(charts.begin(), charts.end(), std::back_inserter(section.blocks));
  return section;
}

}  // namespace parlab::page
