// The gain of a second GPU, and from which size on it pays.
#include <algorithm>
#include <map>
#include <set>

#include "page/reference.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

// At one size: the best variant on so many GPUs, compared with the best on one.
struct Share {
  const Entry* entry;
  Ratio gain;
  std::string pays_from = {};  // the size; empty: at none
};
struct Team {
  std::string workload;
  // by number of GPUs, at the largest size
  std::map<std::int64_t, Share> largest = {};
};

std::map<std::int64_t, Share> shares(const Entries& point) {
  std::map<std::int64_t, Share> found;
  const auto gpu = peers(on_device(point, true));
  const auto of = [&](std::int64_t gpus) {
    return best(where(
        gpu, [&](const Entry& entry) { return gpus_at_work(entry) == gpus; }));
  };
  const auto* one = of(1);
  if (one == nullptr) return found;
  for (const auto* entry : gpu) {
    const auto gpus = gpus_at_work(*entry);
    if (gpus < 2 || found.count(gpus) > 0) continue;
    const auto* fastest = of(gpus);
    if (const auto gain = speedup(fastest->record, one->record))
      found.emplace(gpus, Share{fastest, *gain});
  }
  return found;
}

std::vector<Team> teams_of(const Measured& measured) {
  std::vector<Team> found;
  for (const auto& reference : references(measured)) {
    const auto entries = of_usual_parameters(of_dtype(
        of_workload(all(measured), reference.workload), reference.dtype));
    Team team{.workload = reference.workload};
    // From the largest size down, while they win.
    auto ascending = sizes(
        where(entries, [](const Entry& entry) { return of_team(entry); }));
    std::map<std::int64_t, bool> lost;
    for (auto size = ascending.rbegin(); size != ascending.rend(); ++size) {
      for (const auto& [gpus, share] : shares(of_size(entries, *size))) {
        auto& largest = team.largest.emplace(gpus, share).first->second;
        lost[gpus] |= !above(share.gain, 1);
        if (!lost[gpus]) largest.pays_from = dimensions(share.entry->record);
      }
    }
    if (!team.largest.empty()) found.push_back(std::move(team));
  }
  std::ranges::stable_sort(found, std::greater{}, [](const Team& team) {
    return team.largest.begin()->second.gain.value;
  });
  return found;
}

// The looks of the first, second and third number of GPUs.
constexpr Look looks[] = {Look::disc, Look::square, Look::diamond};

MarkedRow row_of(const Team& team, const std::string& page) {
  MarkedRow row{.name = team.workload,
                .note = point_of(team.largest.begin()->second.entry->record),
                .target = page + "#" + anchor("workload-" + team.workload)};
  std::size_t i = 0;
  for (const auto& [gpus, share] : team.largest) {
    row.marks.push_back({share.gain.value, looks[i++ % 3],
                         std::to_string(gpus) + " GPUs, " +
                             setting(share.entry->record) + ": " +
                             in_words(as_fast(share.gain))});
    row.says.push_back(
        std::to_string(gpus) + " GPUs: " + in_words(times(share.gain)) +
        (share.pays_from.empty() ? ", pay at no size"
                                 : ", from " + share.pays_from + " on"));
  }
  return row;
}

std::vector<Block> what_teams_buy(const Measured& measured,
                                  const std::string& page) {
  const auto all = teams_of(measured);
  if (all.empty()) return {};
  std::set<std::int64_t> counts;
  for (const auto& team : all) {
    for (const auto& [gpus, share] : team.largest)
      counts.insert(gpus);
  }
  Strip strip{
      .id = "fig-teams",
      .title = {},
      .from = 0,
      .to = static_cast<double>(*counts.rbegin()) + 0.2,
      .line = 1,
      .leads = "Each row links to the ladder of its workload.",
      .caption =
          "The best variant on several GPUs relative to the best on one, at "
          "the largest size measured. Several GPUs pay from a size on if they "
          "are faster at it and at every larger size measured."};
  for (int i = 0; i <= *counts.rbegin(); ++i)
    strip.ticks.push_back({i, std::to_string(i) + " ×"});
  std::size_t i = 0;
  for (const auto gpus : counts)
    strip.key.push_back({looks[i++ % 3], std::to_string(gpus) + " GPUs"});
  std::vector<Text> gains;
  for (const auto& team : all) {
    const auto& share = team.largest.begin()->second;
    gains.push_back(team.workload + " " + times(share.gain) +
                    (share.pays_from.empty()
                         ? Text(", at no size")
                         : " from " + Text(share.pays_from) + " on"));
    strip.rows.push_back(row_of(team, page));
  }
  strip.title = std::to_string(*counts.begin()) +
                " GPUs relative to one, at the largest size, and the size from "
                "which they pay: " +
                in_words(joined(gains, "; ")) + ".";
  return {Paragraph{strip.title}, strip};
}

Section teams_section(std::vector<Block> blocks) {
  return {.id = "teams",
          .title = "What does a second GPU gain, and from which size on?",
          .label = "What does a second GPU gain?",
          .blocks = std::move(blocks)};
}

}  // namespace

std::optional<Headline> of_teams(const Measured& measured) {
  const auto all = teams_of(measured);
  if (all.empty()) return std::nullopt;
  const auto gpus = all.front().largest.begin()->first;
  return Headline{times(all.front().largest.begin()->second.gain),
                  "is the most that " + std::to_string(gpus) +
                      " GPUs gain over one, in " + all.front().workload,
                  "#teams"};
}

std::optional<Section> teams(const Measured& measured) {
  auto blocks = what_teams_buy(measured, "");
  if (blocks.empty()) return std::nullopt;
  return teams_section(std::move(blocks));
}

// Workloads in which a number of GPUs pays (from some size on) on one machine
// only, with the gain on the other.
std::vector<Text> otherwise(const Measured& shown, const Measured& other) {
  std::map<std::string, bool> pays;
  for (const auto& team : teams_of(shown)) {
    for (const auto& [gpus, share] : team.largest)
      pays[team.workload + std::to_string(gpus)] = !share.pays_from.empty();
  }
  std::vector<Text> found;
  for (const auto& team : teams_of(other)) {
    for (const auto& [gpus, share] : team.largest) {
      const auto there = pays.find(team.workload + std::to_string(gpus));
      const bool here = !share.pays_from.empty();
      if (there == pays.end() || there->second == here) continue;
      found.push_back(std::to_string(gpus) + " GPUs pay in " + team.workload +
                      (here ? " from " + share.pays_from + " on"
                            : std::string(" at no size")) +
                      " (" + times(share.gain) + " at the largest)");
    }
  }
  return found;
}

// The machine with the most GPUs has measured smaller teams too.
std::optional<Section> largest_team(const std::vector<Measured>& machines) {
  const Measured* largest = nullptr;
  for (const auto& measured : machines) {
    if (!teams_of(measured).empty() &&
        (largest == nullptr ||
         gpus_of_last_run(measured) > gpus_of_last_run(*largest)))
      largest = &measured;
  }
  if (largest == nullptr) return std::nullopt;
  const auto page = page_address(*largest);
  auto says = "Shown is " + Text(Link{largest->machine, page + "#teams"}) +
              " (" + gpus_of(*largest) + ").";
  for (const auto& measured : machines) {
    const auto differs = otherwise(*largest, measured);
    if (differs.empty()) continue;
    says += " " +
            Text(Link{measured.machine, page_address(measured) + "#teams"}) +
            " differs: there " + joined(differs) + ".";
  }
  auto blocks = what_teams_buy(*largest, page);
  blocks.insert(blocks.begin(), Paragraph{says});
  return teams_section(std::move(blocks));
}

}  // namespace parlab::page
