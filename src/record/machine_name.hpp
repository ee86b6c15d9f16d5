// The name of this machine among the machines that have records here.
#pragma once

#include <filesystem>
#include <string>

#include "core/file.hpp"

namespace parlab {

// slug, for example "nvidia-h200", is a kind of machine. This machine gets the
// first of slug, slug-2, slug-3 ... whose folder under results/ has a run of
// this host, does not exist, or has no runs. Records made before runs named
// their host count as another host's.
std::string machine_name(const std::string& slug, const std::string& host_id,
                         const std::filesystem::path& results = base_folder() /
                                                                "results");

}  // namespace parlab
