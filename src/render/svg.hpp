// Charts with two logarithmic axes, as SVG within a page. Series differ in
// marker and dash, never in colour alone.
#pragma once

#include <string>
#include <string_view>

#include "facts/document.hpp"

namespace parlab {

// "" if there is nothing to draw. Points that are not positive and finite are
// left out.
std::string draw(const Chart& chart);

// One row for each thing, with its name before the marks and their texts after
// them. narrow: for a phone, with these above the marks. alone: as a separate
// file without links.
enum class StripForm { wide, narrow, alone };
std::string draw(const Strip& strip, StripForm form);

// An SVG file as part of a page, from its <svg> tag on. Each id and each
// reference to one gets this prefix, so that several pictures on one page do
// not clash. Empty if it is not an SVG or is more than a picture: it has
// scripts or event handlers, or refers to something outside itself.
std::string inline_svg(std::string_view svg, const std::string& prefix,
                       const std::string& title);

}  // namespace parlab
