#include "page/transfers.hpp"

#include <algorithm>
#include <cmath>

#include "core/numbers.hpp"
#include "page/chart.hpp"
#include "page/sections.hpp"
#include "page/table.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"

namespace parlab::page {
namespace {

// All extents are the same number, parameters aside: that number can stand for the size.
bool is_one_number(const Entries& entries) {
  return std::all_of(entries.begin(), entries.end(), [](const Entry* entry) {
    const auto& size = entry->record.size;
    const auto extents = extents_of(entry->record);
    return extents > 0 && std::all_of(size.begin(), size.begin() + static_cast<long>(extents),
                                      [&](auto extent) { return extent == size.front(); });
  });
}

void write_chart(Html& html, const Entries& entries, const std::string& workload) {
  const bool one = is_one_number(entries);
  Series cpu{"best CPU", {}, 0, true, true}, kernel{"GPU, kernel only", {}, 1, true, true},
      travelled{"GPU, with transfers", {}, 2, true, true};
  for (const auto& size : sizes(entries)) {
    const auto point = of_size(entries, size);
    const auto& record = point.front()->record;
    const double x = one ? static_cast<double>(size.front()) : record.bytes;
    if (const auto* entry = best(on_device(point, false))) {
      cpu.points.push_back({x, entry->summary.median});
    }
    const auto gpu =
        where(on_device(point, true), [](const Entry& e) { return !reduced_arithmetic(e.record); });
    if (const auto* entry = best(gpu)) kernel.points.push_back({x, entry->summary.median});
    std::optional<double> least;
    for (const auto* entry : gpu) {
      const auto seconds = seconds_with_transfers(*entry);
      if (seconds && (!least || *seconds < *least)) least = seconds;
    }
    if (least) travelled.points.push_back({x, *least});
  }
  Chart chart;
  chart.title = workload + ": time of the CPU, of the GPU, and of the GPU with transfers";
  chart.x = {one ? "n" : "bytes of the problem",
             [one](double v) { return one ? tick_count(v) : bytes_with_unit(v); }};
  chart.y = {"", tick_seconds};
  chart.series = {cpu, kernel, travelled};
  const auto id = "fig-" + anchor("transfers-" + workload);
  html.open("figure", {{"id", id}}).open("div", {{"class", "scroll"}, {"tabindex", "0"}});
  html.raw(draw(chart)).close();
  html.element("figcaption", workload + ", " +
                                 std::string(parlab::to_string(entries.front()->record.dtype)) +
                                 ": the fastest variant of each at every size");
  html.close().line_break();
}

Cell verdict(const std::vector<Duel>& duels, Ratio Duel::*ratio) {
  const auto found = crossover(duels, ratio);
  Cell cell;
  if (found.first != nullptr) {
    const auto size = dimensions(found.first->gpu->record);
    cell.text = found.always ? "at every size, " + size + " and more" : "from " + size + " on";
  } else {
    cell.text = found.in_places ? "at some sizes, but not at the largest"
                                : "at no size up to " + dimensions(duels.back().gpu->record);
  }
  if (found.undecided > 0) {
    cell.note = "too few samples to say at " + counted(found.undecided, "size");
  }
  return cell;
}

std::string paid(const Duel& duel) {
  const auto often = executions_to_pay(duel);
  if (!often) return "never";
  return counted(static_cast<std::size_t>(*often), "execution");
}

}  // namespace

std::vector<Duel> duels(const Entries& entries) {
  std::vector<Duel> found;
  for (const auto& size : sizes(entries)) {
    const auto point = of_size(entries, size);
    Duel duel;
    duel.cpu = best(on_device(point, false));
    for (const auto* entry : on_device(point, true)) {
      const auto seconds = seconds_with_transfers(*entry);
      if (!seconds || reduced_arithmetic(entry->record)) continue;
      if (duel.gpu == nullptr || *seconds < *seconds_with_transfers(*duel.gpu)) duel.gpu = entry;
    }
    if (duel.cpu == nullptr || duel.gpu == nullptr) continue;
    const auto kernel = speedup(duel.gpu->record, duel.cpu->record, false);
    const auto travelled = speedup(duel.gpu->record, duel.cpu->record, true);
    if (!kernel || !travelled) continue;
    duel.kernel = *kernel;
    duel.travelled = *travelled;
    found.push_back(duel);
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
  const double moved = *seconds_with_transfers(*duel.gpu) - duel.gpu->summary.median;
  return std::max(1.0, std::ceil(moved / gain));
}

void write_transfers(Html& html, const Measured& measured) {
  html.open("section", {{"id", "transfers"}}).element("h2", "Transfers").line_break();
  if (!measured.has_gpu()) {
    html.element("p", "No GPU here: nothing has to travel.").close().line_break();
    return;
  }
  html.element(
      "p",
      "From which size on the GPU is faster than the best of the CPU, when the data is "
      "there already and when it has to go there and the result come back. It wins where "
      "the 95 % interval says so. Transfers are from and to pageable memory, one execution "
      "each; the last column says how many executions on the same data pay for them at the "
      "largest size.");
  std::vector<Row> rows;
  Html charts;
  for (const auto& workload : measured.workloads()) {
    const auto entries = of_workload(all(measured), workload);
    const auto some = of_same_parameters(of_dtype(entries, main_dtype(entries)));
    const auto fought = duels(some);
    if (fought.empty()) {
      rows.push_back({{workload}, {"no size was measured on both, transfers included"}});
      continue;
    }
    const auto& last = fought.back();
    rows.push_back({{workload, dimensions(last.gpu->record) + " at the largest",
                     "#fig-" + anchor("transfers-" + workload)},
                    verdict(fought, &Duel::kernel),
                    verdict(fought, &Duel::travelled),
                    {duration(last.cpu->summary.median), setting(last.cpu->record)},
                    {duration(last.gpu->summary.median), setting(last.gpu->record)},
                    {duration(*seconds_with_transfers(*last.gpu)),
                     factor(last.travelled.value) + " the speed of the CPU (" +
                         interval(last.travelled) + ")"},
                    {paid(last)}});
    write_chart(charts, some, workload);
  }
  write_cards(html,
              {"Workload", "GPU wins, data there", "GPU wins, data travels", "CPU", "GPU kernel",
               "GPU with transfers", "Paid for by"},
              rows);
  html.open("div", {{"class", "figures"}}).raw(charts.str()).close();
  html.close().line_break();
}

}  // namespace parlab::page
