// The sections of a machine's page, one file each.
#pragma once

#include <filesystem>
#include <string>

#include "page/html.hpp"
#include "page/measured.hpp"

namespace parlab::page {

// What the machine is, and its measured ceilings.
void write_machine(Html& html, const Measured& measured);
// The best of every backend at the largest size all of them were measured at.
void write_glance(Html& html, const Measured& measured);
// Its ladders, its figures, its tables. figures: folder of the figures.
void write_workload(Html& html, const Measured& measured, const std::string& workload,
                    const std::filesystem::path& figures);
// The ladders alone.
void write_ladders(Html& html, const Entries& of_workload);
// The claims of the source reports; links to those figures that are in the folder.
void write_claims(Html& html, const Measured& measured, const std::filesystem::path& figures);

}  // namespace parlab::page
