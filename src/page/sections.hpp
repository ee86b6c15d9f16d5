// The sections of a machine's page, one file each.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "claims/claim.hpp"
#include "facts/document.hpp"
#include "page/measured.hpp"

namespace parlab::page {

// What is fastest, how near to the limit it is, which claims fell.
Section summary(const Measured& measured, const std::vector<Finding>& findings);
// What the machine is, and its measured ceilings.
Section machine(const Measured& measured);
// The best of every backend at the largest size all of them were measured at.
Section glance(const Measured& measured);
// Its ladders, and figures and tables of the experiments that have it
// alone. figures: their folder.
Section workload_section(const Measured& measured, const std::string& workload,
                         const std::filesystem::path& figures,
                         const Tables& tables);
// Figures and tables of the experiments that have several workloads.
std::optional<Section> shared_experiments(const Measured& measured,
                                          const std::filesystem::path& figures,
                                          const Tables& tables);
// The ladders alone; entries: of one workload.
Section ladders(const Entries& entries);
// Attainable performance of the device and of the host, and what came of it.
Section rooflines(const Measured& measured);
// From which size on the GPU wins when the data has to travel.
Section transfers(const Measured& measured);
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
std::string claim_anchor(const Finding& finding);  // "claim-v-obs3"
// A sign beside the words, for those who look for one verdict among
// many; and with the words.
std::string verdict_sign(Outcome outcome);
std::string verdict_words(const Finding& finding);

// Several machines: their facts, their times and their verdicts side by side.
Section machine_list(const std::vector<Measured>& machines);
Section side_by_side(const std::vector<Measured>& machines);
Section verdicts(const std::vector<Measured>& machines);
// Which workloads gain what the memory of one kind of GPU has over that of
// another, and which what its units have; nothing of a single kind.
std::optional<Section> scaling(const std::vector<Measured>& machines);

}  // namespace parlab::page
