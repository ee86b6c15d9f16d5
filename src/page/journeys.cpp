// Does the GPU pay if data must be copied?
#include <algorithm>

#include "page/reference.hpp"
#include "page/sections.hpp"
#include "page/transfers.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

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
                .note = short_point(journey.pageable().gpu->record),
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

}  // namespace

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
  std::string says =
      "workloads beat the CPU with " + std::string(name_of(Way::pageable));
  const auto overlapped = of_way(all, Way::overlapped);
  if (!overlapped.empty())
    says += "; " + wins(overlapped) + " with " + name_of(Way::overlapped);
  return Headline{wins(of_way(all, Way::pageable)), says, "#transfers"};
}

std::vector<Block> does_it_pay(const std::vector<Journey>& all) {
  if (all.empty()) return {};
  std::vector<Ratio> kernels;
  for (const auto& journey : all)
    kernels.push_back(journey.kernel);
  std::string sentence =
      "At large sizes the GPU beats the best CPU variant in " + wins(kernels) +
      " workloads with data on the GPU";
  for (const auto way : ways) {
    if (const auto some = of_way(all, way); !some.empty())
      sentence += ", in " + wins(some) + " with " + name_of(way);
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

}  // namespace parlab::page
