// The pictures of experiments, as parts of a page.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "facts/document.hpp"

namespace parlab::page {

// The folder with an experiment's scripts for figures and tables: its own, or
// the common one (make measure).
std::filesystem::path scripts_of(const std::string& experiment);
// The figures of an experiment, EXPERIMENT-<number>-<what>.svg, by number;
// empty if there is no such folder.
std::vector<Picture> figures_of(const std::filesystem::path& folder,
                                const std::string& experiment);
// The curve of each variant, "cuda/naive": its id on the page, in the first of
// these figures that has it in its key.
using Curves = std::map<std::string, std::string>;
void find_curves(const std::vector<Picture>& figures, Curves& curves);
// "fig-cslab-dmv-7-all-gflops"
std::string figure_anchor(const std::string& name);

}  // namespace parlab::page
