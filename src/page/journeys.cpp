// Does the GPU pay when data must travel?
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

// How many of these ratios there are, and where the GPU wins: "2 of 7"
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

struct Shown {
  Way way;
  Look look;
  const char* how;
};
constexpr Shown ways[] = {
    {Way::pageable, Look::square, "copied from ordinary memory"},
    {Way::pinned, Look::triangle, "copied from pinned memory"},
    {Way::overlapped, Look::diamond, "copied while computing"}};

MarkedRow row_of(const Journey& journey) {
  MarkedRow row{.name = journey.workload,
                .note = short_point(journey.pageable().gpu->record),
                .target = "#fig-" + anchor("transfers-" + journey.workload)};
  const auto mark = [&](const Ratio& ratio, Look look, const char* how) {
    const bool slower = !parlab::tied(ratio) && ratio.value < 1;
    row.marks.push_back({ratio.value, look,
                         how + (": " + in_words(as_fast(ratio))) +
                             (slower ? " than the CPU, " : " as the CPU, ") +
                             in_words(range_of(ratio))});
  };
  for (const auto& [way, look, how] : ways) {
    if (const auto& duel = journey.by(way)) mark(duel->travelled, look, how);
  }
  mark(journey.kernel, Look::disc, "data on the GPU");
  row.says = {in_words(as_fast(journey.kernel)) + " there",
              in_words(as_fast(journey.pageable().travelled)) + " with copies"};
  if (const auto& beside = journey.by(Way::overlapped))
    row.says.push_back(in_words(as_fast(beside->travelled)) +
                       " with copies while computing");
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
    for (const auto way : {Way::pageable, Way::pinned, Way::overlapped})
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
  std::string says = "still beat the CPU when the data has to be copied";
  const auto overlapped = of_way(all, Way::overlapped);
  if (!overlapped.empty()) {
    says +=
        "; " + wins(overlapped) + " when that goes on under the computation";
  }
  return Headline{wins(of_way(all, Way::pageable)), says, "#transfers"};
}

std::vector<Block> does_it_pay(const std::vector<Journey>& all) {
  if (all.empty()) return {};
  std::vector<Ratio> kernels;
  for (const auto& journey : all)
    kernels.push_back(journey.kernel);
  std::string sentence =
      "At large sizes the GPU beats the best of the CPU in " + wins(kernels) +
      " workloads when the data is there already, in " +
      wins(of_way(all, Way::pageable)) +
      " when it comes from ordinary memory and the result goes back";
  const auto pinned = of_way(all, Way::pinned),
             overlapped = of_way(all, Way::overlapped);
  if (!pinned.empty())
    sentence += ", in " + wins(pinned) + " from pinned memory";
  if (!overlapped.empty()) {
    sentence +=
        ", in " + wins(overlapped) + " when copies go on under the computation";
  }
  Strip strip{.id = "fig-transfers",
              .title = sentence + ".",
              .logarithmic = true,
              .left = "the CPU is faster",
              .right = "the GPU is faster",
              .key = {{Look::disc, "data on the GPU"},
                      {Look::square, "copied from ordinary memory"},
                      {Look::triangle, "from pinned memory"},
                      {Look::diamond, "while computing"}},
              .caption =
                  "Time of the best of the CPU over that of the GPU on "
                  "the same host. A row leads to the times at all "
                  "sizes."};
  for (const auto& journey : all)
    strip.rows.push_back(row_of(journey));
  logarithmic_axis(strip);
  return {Paragraph{strip.title}, strip};
}

}  // namespace parlab::page
