// The report of one machine, and the index of several, as files
// that need nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "page/measured.hpp"

namespace parlab::page {

// figures: the folder with the machine's figures and tables; what
// is not there is said so.
std::string machine_page(const Measured& measured,
                         const std::filesystem::path& figures);

// Links to the page of each machine, FOLDER/index.html, and compares them.
std::string index_page(const std::vector<Measured>& machines);

}  // namespace parlab::page
