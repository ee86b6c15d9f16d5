// The report of one machine, the index of several, and their sections, one file
// each.
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

// figures: the folder with the machine's figures; the page names missing ones.
Document machine_page(const Measured& measured,
                      const std::filesystem::path& figures,
                      const Tables& tables = {});
// Links to the page of each machine, FOLDER/index.html, and compares the
// machines.
Document index_page(const std::vector<Measured>& machines);

// ---- the first screen

// One sentence that describes the machines' measurements.
std::string what_this_is(const std::vector<const Measured*>& machines);
// page: the page that the headlines link to; "": this one.
Headlines headlines(const Measured& measured,
                    const std::vector<Finding>& findings,
                    const std::string& page = "");
// nullopt if no transfers, teams or energy were measured.
std::optional<Headline> of_travel(const Measured& measured);
std::optional<Headline> of_teams(const Measured& measured);
std::optional<Headline> of_energy(const Measured& measured);
Section first_screen(const Measured& measured,
                     const std::vector<Finding>& findings);
// For each workload, how close its kernels come to the limit. Rows link to
// their ladders on that page; "": this one.
std::optional<Strip> first_to_fastest(const Measured& measured,
                                      const std::string& page,
                                      const std::string& id);
// The same as a table in Markdown.
std::string first_to_fastest_in_markdown(const Measured& measured);

// ---- sections

// Experiments of reports, workloads on the GPU or the CPU, and types on the GPU
// that have no records; "": none.
std::string not_measured(const Measured& measured,
                         const std::vector<Finding>& findings);
// The machine's facts and its measured ceilings.
Section machine(const Measured& measured);
// Its ladders, and the figures and tables of experiments on it alone. figures:
// their folder.
Section workload_section(const Measured& measured, const std::string& workload,
                         const std::filesystem::path& figures,
                         const Tables& tables);
// Figures and tables of the experiments that cover several workloads.
std::optional<Section> shared_experiments(const Measured& measured,
                                          const std::filesystem::path& figures,
                                          const Tables& tables);
// The ladders alone, the main one first; each rung links to its curve.
std::vector<Block> ladders(const Measured& measured, const Reference& reference,
                           const Curves& curves);
// "coalesced (4.40×) is the whole gain; the 5 ideas after it add nothing"
std::string finding_of_ladder(const Entries& rungs);
// The attainable performance of device and host, and how much of it was
// reached.
Section rooflines(const Measured& measured);
// The size from which the GPU wins if the data has to be copied.
Section transfers(const Measured& measured);
// The gain of several GPUs; nullopt if there was one.
std::optional<Section> teams(const Measured& measured);
// The same for the machine with the most GPUs.
std::optional<Section> largest_team(const std::vector<Measured>& machines);
// The address of a machine's page, from the index.
std::string page_address(const Measured& measured);
// How well threads are used, and what limits them; nullopt if no variant was
// measured with one thread and with more.
std::optional<Section> threads(const Measured& measured);
// Which rung costs the least energy, and whether it is the fastest; nullopt if
// energy was not measured.
std::optional<Section> energy(const Measured& measured);
// How far the devices of a cluster differ, and which of them are slow; nullopt
// if no control points were measured.
std::optional<Section> devices(const Measured& measured);
// By records of this machine, not only by construction.
bool any_tested(const std::vector<Finding>& findings);
// The claims of the source reports, with links to the figures that are in the
// folder.
Section claims(const std::vector<Finding>& findings,
               const std::filesystem::path& figures);
// A grid for each report: machines and their claims, each linked to the page.
struct Judged {
  std::string machine, page;
  std::vector<Finding> findings;
};
std::vector<Block> claims_grid(const std::vector<Judged>& machines);
// "57 of 89" have that outcome.
std::string how_many(const std::vector<Finding>& findings, Outcome outcome);
// A sign beside the words, so that one verdict is easy to find among many.
std::string verdict_sign(Outcome outcome);

// The first screens of all machines, for the reader to choose from.
Alternatives first_of_each(const std::vector<const Measured*>& machines);
// Several machines: their facts, their times and their verdicts side by side.
Section machine_list(const std::vector<Measured>& machines);
Section side_by_side(const std::vector<Measured>& machines);
Section verdicts(const std::vector<Measured>& machines);
// Which workloads gain as much as one GPU model's memory gains over another's,
// and which as much as its units; nullopt for a single model.
std::optional<Section> scaling(const std::vector<Measured>& machines);

}  // namespace parlab::page
