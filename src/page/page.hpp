// The report of one machine, and the index of several, as files that need nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "page/measured.hpp"

namespace parlab::page {

// figures: the folder with the machine's figures and tables; what is not there is said so.
std::string machine_page(const Measured& measured, const std::filesystem::path& figures);

}  // namespace parlab::page
