// The sections of a machine's page, one file each.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "claims/claim.hpp"
#include "facts/document.hpp"
#include "page/measured.hpp"

namespace parlab::page {

struct Reference;                                   // page/reference.hpp
using Curves = std::map<std::string, std::string>;  // page/figures.hpp

// ---- the first screen

// One sentence, by what these have measured.
std::string what_this_is(const std::vector<const Measured*>& machines);
// page: where what they lead to is; "": here.
Headlines headlines(const Measured& measured,
                    const std::vector<Finding>& findings,
                    const std::string& page = "");
// Nothing where no transfers were measured, or no several GPUs, or no joules.
std::optional<Headline> of_travel(const Measured& measured);
std::optional<Headline> of_teams(const Measured& measured);
std::optional<Headline> of_energy(const Measured& measured);
Section first_screen(const Measured& measured,
                     const std::vector<Finding>& findings);
// For each workload how far its kernels come. Rows lead to their ladders on
// that page; "": this one.
std::optional<Strip> first_to_fastest(const Measured& measured,
                                      const std::string& page,
                                      const std::string& id);
// The same in words, for a table.
struct FastestRow {
  std::string workload, point, first, fastest, gain, reached, against_library,
      other_arithmetic;
};
std::vector<FastestRow> fastest_rows(const Measured& measured);

// ---- sections

// Experiments of reports, workloads on one half of the machine, and types on
// its GPU that have no records; "": none.
std::string not_measured(const Measured& measured,
                         const std::vector<Finding>& findings);
// What the machine is, and its measured ceilings.
Section machine(const Measured& measured);
// Its ladders, and figures and tables of the experiments that have it
// alone. figures: their folder.
Section workload_section(const Measured& measured, const std::string& workload,
                         const std::filesystem::path& figures,
                         const Tables& tables);
// Figures and tables of the experiments that have several workloads.
std::optional<Section> shared_experiments(const Measured& measured,
                                          const std::filesystem::path& figures,
                                          const Tables& tables);
// The ladders alone, the main one first; a rung leads to its curve.
std::vector<Block> ladders(const Measured& measured, const Reference& reference,
                           const Curves& curves);
// "coalesced (4.40×) is the whole gain; the 5 ideas after it add nothing"
std::string finding_of_ladder(const Entries& rungs);
// Attainable performance of the device and of the host, and what came of it.
Section rooflines(const Measured& measured);
// From which size on the GPU wins when the data has to travel.
Section transfers(const Measured& measured);
struct Journey;  // page/transfers.hpp
// The answer in a sentence and a picture.
std::vector<Block> does_it_pay(const std::vector<Journey>& all);
// What several GPUs buy; nothing where there was one.
std::optional<Section> teams(const Measured& measured);
// The same of that machine which has the most of them.
std::optional<Section> largest_team(const std::vector<Measured>& machines);
// Where the page of a machine is, seen from the index.
std::string page_address(const Measured& measured);
// Which rung costs the least energy, and whether it is the fastest;
// nothing where energy was not asked for.
std::optional<Section> energy(const Measured& measured);
// How far the devices of a cluster differ, and which of them are slow;
// nothing where no control points were measured.
std::optional<Section> devices(const Measured& measured);
// The claims of the source reports; links to those figures
// that are in the folder.
Section claims(const std::vector<Finding>& findings,
               const std::filesystem::path& figures);
// A grid for each report: machines and their claims, each a link to the page.
struct Judged {
  std::string machine, page;
  std::vector<Finding> findings;
};
std::vector<Block> claims_grid(const std::vector<Judged>& machines);
Text counted_verdicts(const std::vector<Finding>& findings);
std::string claim_anchor(const Finding& finding);  // "claim-v-obs3"
// A sign beside the words, for those who look for one verdict among
// many; and with the words.
std::string verdict_sign(Outcome outcome);
std::string verdict_words(const Finding& finding);

// The first screen of each, of which one is chosen.
Alternatives first_of_each(const std::vector<const Measured*>& machines);
// Several machines: their facts, their times and their verdicts side by side.
Section machine_list(const std::vector<Measured>& machines);
Section side_by_side(const std::vector<Measured>& machines);
Section verdicts(const std::vector<Measured>& machines);
// Which workloads gain what the memory of one kind of GPU has over that of
// another, and which what its units have; nothing of a single kind.
std::optional<Section> scaling(const std::vector<Measured>& machines);

}  // namespace parlab::page
