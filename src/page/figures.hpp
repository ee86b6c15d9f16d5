// The pictures and tables that were drawn for a machine, as parts of a page.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "page/html.hpp"

namespace parlab::page {

struct Figure {
  std::string name;  // "cslab-dmv-7-all-gflops"
  std::filesystem::path path;
};

// A part of an EXPERIMENT-tables.txt: a heading, a table under
// it, or text without one.
struct TextTable {
  std::string title;  // what stood above it
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

// The figures of an experiment, EXPERIMENT-<number>-<what>.svg, by number.
// None when there is no such folder.
std::vector<Figure> figures_of(const std::filesystem::path& folder,
                               const std::string& experiment);
// "fig-cslab-dmv-7-all-gflops"
std::string figure_anchor(const std::string& name);

// An SVG file as part of a page: from its <svg> tag on, each id and each
// reference to one with this prefix, so that several on one page do not meet.
// Empty when it is no SVG, or more than a picture: it has scripts, event
// handlers, or refers to something outside of itself.
std::string inline_svg(std::string_view svg,
                       const std::string& prefix,
                       const std::string& title);

// Writes the figure, or a line that says why it is not there.
void write_figure(Html& html, const Figure& figure);

// The line of hyphens under the titles shows where columns begin and end.
std::vector<TextTable> parse_tables(const std::string& text);
// Nothing when the file is not there.
void write_tables(Html& html, const std::filesystem::path& file);

}  // namespace parlab::page
