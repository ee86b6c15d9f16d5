// The first screen: how close kernels come to the limit, in numbers and one
// picture.
#include <algorithm>
#include <set>

#include "page/reference.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

// A workload's kernels at the reference, and the library beside them.
struct Climb {
  Reference reference;
  const Entry *first = nullptr, *fastest = nullptr, *library = nullptr,
              *alike = nullptr;
  double reached = 0;  // share of the limit that the fastest reaches
  std::optional<Ratio> gain, over_library, over_full;
};

std::optional<Ratio> faster(const Entry* entry, const Entry* other) {
  if (entry == nullptr || other == nullptr || entry == other)
    return std::nullopt;
  return speedup(entry->record, other->record);
}

// The best first; workloads without a kernel or a limit are left out.
std::vector<Climb> climbs(const Measured& measured) {
  std::vector<Climb> found;
  for (auto& reference : references(measured)) {
    const auto& contest = reference.contest;
    const auto own = ladder(peers(without_libraries(contest)));
    if (own.empty()) continue;
    Climb climb;
    climb.first = own.front();
    climb.fastest = fastest_own(contest);
    climb.library = fastest_library(contest);
    climb.alike = fastest_alike(contest);
    climb.reached = of_limit(*climb.fastest, contest).value_or(0);
    climb.gain = faster(climb.fastest, climb.first);
    climb.over_library = faster(climb.fastest, climb.library);
    climb.over_full = faster(climb.alike, best_peer(contest));
    climb.reference = std::move(reference);
    found.push_back(std::move(climb));
  }
  std::ranges::stable_sort(found, std::greater{}, &Climb::reached);
  return found;
}

// Whether the library is no faster.
bool keeps_up(const Climb& climb) {
  return climb.over_library &&
         (parlab::tied(*climb.over_library) || climb.over_library->value > 1);
}

std::string against_library(const Climb& climb) {
  if (climb.library == nullptr) return "no library to compare with";
  if (!climb.over_library) return "";
  return in_words(as_fast_as(*climb.over_library) + "the library");
}

std::string in_other_arithmetic(const Climb& climb) {
  if (!climb.over_full) return "";
  return climb.alike->record.variant + ": " +
         in_words(as_fast(*climb.over_full)) + ", as accurate";
}

MarkedRow row_of(const Climb& climb, const std::string& page) {
  const auto& contest = climb.reference.contest;
  MarkedRow row{
      .name = climb.reference.workload,
      .note = point_of(climb.fastest->record),
      .target = page + "#" + anchor("workload-" + climb.reference.workload)};
  const auto mark = [&](const Entry* entry, Look look) {
    const auto reached = of_limit(*entry, contest);
    if (!reached) return;
    row.marks.push_back({*reached, look,
                         setting(entry->record) + ": " +
                             in_words(time_of(*entry)) + ", " +
                             in_words(share(*reached))});
  };
  for (const auto* entry : ladder(peers(contest))) {
    if (of_library(entry->side)) continue;
    mark(entry,
         entry->record.variant == climb.fastest->record.variant ? Look::disc
         : entry->record.variant == climb.first->record.variant ? Look::start
                                                                : Look::ring);
  }
  if (climb.library != nullptr) mark(climb.library, Look::tick);
  row.strong = climb.reached > 0 ? in_words(share(climb.reached)) : "no limit";
  row.says.push_back(climb.fastest->record.variant);
  if (climb.gain && climb.gain->value > 1)
    row.says.back() +=
        ", " + in_words(times(*climb.gain)) + " the first kernel";
  for (const auto& line :
       {against_library(climb), in_other_arithmetic(climb)}) {
    if (!line.empty()) row.says.push_back(line);
  }
  return row;
}

Headline of_limits(const std::vector<Climb>& all, bool one_of_several) {
  constexpr double near = 0.9;
  const auto reach = static_cast<std::size_t>(std::ranges::count_if(
      all, [&](const Climb& climb) { return climb.reached >= near; }));
  Text says = "workloads reach " + Text(share(near)) + " of what " +
              (one_of_several ? "one of the GPUs" : "the hardware") +
              " allows, or more";
  if (reach > 0 && reach < all.size()) {
    const auto lowest = all.back().reached, next = all[reach].reached;
    says += "; the others " + Text(share(lowest)) +
            (lowest < next ? Text(" to ") + share(next) : Text());
  }
  return {of_all(reach, all.size()), says, "#first"};
}

Headline of_libraries(const std::vector<Climb>& all) {
  const auto with = std::ranges::count_if(
      all, [](const Climb& climb) { return climb.over_library.has_value(); });
  const auto up = std::ranges::count_if(all, keeps_up);
  const auto none = all.size() - static_cast<std::size_t>(with);
  return {of_all(static_cast<std::size_t>(up), static_cast<std::size_t>(with)),
          "are as fast as the vendor's library, or faster" +
              (none > 0 ? "; " + std::to_string(none) + " have none"
                        : std::string()),
          "#first"};
}

std::optional<Headline> of_arithmetic(const std::vector<Climb>& all) {
  const Climb* most = nullptr;
  for (const auto& climb : all) {
    if (climb.over_full &&
        (most == nullptr || climb.over_full->value > most->over_full->value))
      most = &climb;
  }
  if (most == nullptr) return std::nullopt;
  return Headline{
      times(*most->over_full),
      "is what " + most->alike->record.variant + " gains over the fastest " +
          most->reference.workload + " in the arithmetic of " +
          std::string(to_string(most->reference.dtype)) + "; it is as accurate",
      "#" + anchor("workload-" + most->reference.workload)};
}

Headline of_claims(const std::vector<Finding>& findings) {
  const auto fail =
      std::ranges::count(findings, Outcome::does_not_hold, &Finding::outcome);
  return {
      how_many(findings, Outcome::holds),
      "claims of the source reports hold; " + std::to_string(fail) + " do not",
      "#claims"};
}

}  // namespace

std::string what_this_is(const std::vector<const Measured*>& machines) {
  std::set<std::string> workloads;
  std::size_t most = 0, least = 1000;
  for (const auto* measured : machines) {
    for (const auto& reference : references(*measured)) {
      workloads.insert(reference.workload);
      const auto kernels = ladder(without_libraries(reference.contest)).size();
      most = std::max(most, kernels);
      least = std::min(least, kernels);
    }
  }
  if (workloads.empty())
    return "parlab verifies results before it measures times.";
  const auto each = least < most ? std::to_string(least) + " to " +
                                       counted(most, "variant") + " each"
                                 : counted(most, "variant") + " each";
  return counted(workloads.size(), "computation") + ", " + each +
         ", from the simplest to the fastest, compared with the limit of the "
         "hardware. Every result was verified before it was timed.";
}

std::optional<Strip> first_to_fastest(const Measured& measured,
                                      const std::string& page,
                                      const std::string& id) {
  const auto all = climbs(measured);
  if (all.empty()) return std::nullopt;
  const auto limits = of_limits(all, several_gpus(measured));
  Strip strip{
      .id = id,
      .title = in_words(limits.number + " " + limits.says) +
               ". From the first kernel of each to its fastest, on " +
               (several_gpus(measured) ? "one GPU of " : "") + measured.machine,
      .ticks = {{0, "0%"},
                {0.25, "25%"},
                {0.5, "50%"},
                {0.75, "75%"},
                {1, "100% of the limit"}},
      .key = {{Look::start,
               "the first " +
                   std::string(measured.has_gpu() ? "kernel" : "variant")},
              {Look::ring, "one after it"},
              {Look::disc, "the fastest here"},
              {Look::tick, "the vendor's library"}},
      .leads = "Each row links to the ladder of its workload."};
  for (const auto& climb : all)
    strip.rows.push_back(row_of(climb, page));
  const auto where_it_ran = !measured.has_gpu() ? std::string("CPU")
                            : several_gpus(measured)
                                ? "One GPU of the " + gpus_of(measured) +
                                      ", with the limit of one, data on the GPU"
                                : measured.gpu() + ", data on the GPU";
  strip.caption = where_it_ran +
                  ", full precision, caches warm, at the largest size at which "
                  "nearly all variants were measured. The limit is the "
                  "shortest time that the measured bandwidth and peak allow.";
  for (const auto& climb : all) {
    if (climb.reached > 0) continue;
    strip.caption += " No limit of " + Text(climb.reference.workload) + ": " +
                     without_limit(*climb.fastest) + ".";
  }
  return strip;
}

std::string first_to_fastest_in_markdown(const Measured& measured) {
  std::string text =
      "| workload | first kernel | fastest | gain | of the limit | against the "
      "vendor's library |\n|---|---|---|---|---|---|\n";
  for (const auto& climb : climbs(measured)) {
    const auto& fastest = climb.fastest->record;
    const auto other = in_other_arithmetic(climb);
    text += "| `" + climb.reference.workload + "`, " + point_of(fastest) +
            " | `" + climb.first->record.variant + "` | `" + fastest.variant +
            "` | " + (climb.gain ? in_words(times(*climb.gain)) : "") + " | " +
            (climb.reached > 0 ? in_words(share(climb.reached)) : "") + " | " +
            against_library(climb) + (other.empty() ? "" : "; " + other) +
            " |\n";
  }
  return text;
}

Section first_screen(const Measured& measured,
                     const std::vector<Finding>& findings) {
  Section section{.id = "first",
                  .title =
                      "From the first kernel to the fastest, against the "
                      "limit of the hardware"};
  section.add(first_to_fastest(measured, "", "fig-first"));
  section.add(remark(not_measured(measured, findings)));
  return section;
}

Headlines headlines(const Measured& measured,
                    const std::vector<Finding>& findings,
                    const std::string& page) {
  Headlines found;
  const auto all = climbs(measured);
  if (!all.empty() && all.front().reached > 0)
    found.all.push_back(of_limits(all, several_gpus(measured)));
  if (std::ranges::any_of(all, [](const Climb& climb) {
        return climb.over_library.has_value();
      }))
    found.all.push_back(of_libraries(all));
  if (const auto arithmetic = of_arithmetic(all))
    found.all.push_back(*arithmetic);
  for (const auto& more :
       {of_travel(measured), of_teams(measured), of_energy(measured)}) {
    if (more) found.all.push_back(*more);
  }
  if (any_tested(findings)) found.all.push_back(of_claims(findings));
  for (auto& headline : found.all)
    headline.target = page + headline.target;
  return found;
}

}  // namespace parlab::page
