// The report of one machine, and the index of several.
#pragma once

#include <filesystem>
#include <vector>

#include "facts/document.hpp"
#include "page/measured.hpp"

namespace parlab::page {

// figures: the folder with the machine's figures; the page names missing ones.
Document machine_page(const Measured& measured,
                      const std::filesystem::path& figures,
                      const Tables& tables = {});

// Links to the page of each machine, FOLDER/index.html, and compares the
// machines.
Document index_page(const std::vector<Measured>& machines);

}  // namespace parlab::page
