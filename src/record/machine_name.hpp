// The name of this machine among those that have records here.
#pragma once

#include <filesystem>
#include <string>

#include "core/file.hpp"

namespace parlab {

// slug, "nvidia-h200", is a kind of machine. The name of this one is the
// first of slug, slug-2, slug-3 ... whose folder under results/ has a run of
// this host, or is not there, or has no runs. Records made before runs named
// their host are of a host that nobody knows: not of this one.
std::string machine_name(const std::string& slug, const std::string& host_id,
                         const std::filesystem::path& results = base_folder() /
                                                                "results");

}  // namespace parlab
