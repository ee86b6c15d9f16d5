// The sections of a machine's page, one file each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "claims/claim.hpp"
#include "page/html.hpp"
#include "page/measured.hpp"
#include "page/table.hpp"

namespace parlab::page {

// What is fastest, how near to the limit it is, which claims fell.
void write_summary(Html& html,
                   const Measured& measured,
                   const std::vector<Finding>& findings);
// What the machine is, and its measured ceilings.
void write_machine(Html& html, const Measured& measured);
// The best of every backend at the largest size all of them were measured at.
void write_glance(Html& html, const Measured& measured);
// Its ladders, and figures and tables of the experiments that have it
// alone. figures: their folder.
void write_workload(Html& html,
                    const Measured& measured,
                    const std::string& workload,
                    const std::filesystem::path& figures);

// Figures and tables of the experiments that have several workloads.
bool has_shared_experiments(const Measured& measured);
void write_shared_experiments(Html& html,
                              const Measured& measured,
                              const std::filesystem::path& figures);
// The ladders alone.
void write_ladders(Html& html, const Entries& of_workload);
// Attainable performance of the device and of the host, and what came of it.
void write_rooflines(Html& html, const Measured& measured);
// From which size on the GPU wins when the data has to travel.
void write_transfers(Html& html, const Measured& measured);
// Which rung costs the least energy, and whether it is the fastest;
// nothing where energy was not asked for.
void write_energy(Html& html, const Measured& measured);
bool asked_for_energy(const Measured& measured);
// How far the devices of a cluster differ, and which of them are slow;
// nothing of a single device.
void write_devices(Html& html, const Measured& measured);
// The claims of the source reports; links to those figures
// that are in the folder.
void write_claims(Html& html,
                  const std::vector<Finding>& findings,
                  const std::filesystem::path& figures);
std::string claim_anchor(const Finding& finding);  // "claim-v-obs3"

// A sign beside the words, for those who look for one verdict among
// many; and with the words.
std::string verdict_sign(Outcome outcome);
Cell verdict_cell(const Finding& finding);

// Which workloads gain what the memory of one kind of GPU has over that of
// another, and which what its units have; nothing of a single kind.
void write_scaling(Html& html, const std::vector<Measured>& machines);
bool has_kinds_of_gpu(const std::vector<Measured>& machines);

// Several machines: their facts, their times and their verdicts side by side.
void write_index(Html& html, const std::vector<Measured>& machines);

}  // namespace parlab::page
