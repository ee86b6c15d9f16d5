// Charts with two logarithmic axes, as SVG that is part of a page. Series
// differ in marker and dash, never in colour alone.
#pragma once

#include <string>
#include <string_view>

#include "facts/document.hpp"

namespace parlab {

// "" when there is nothing to draw. Points that are not positive
// and finite are left out.
std::string draw(const Chart& chart);

// A row for each thing, its name before the marks and what they say behind
// them; narrow: for a phone, these above the marks. alone: a file of its own,
// which leads nowhere.
enum class StripForm { wide, narrow, alone };
std::string draw(const Strip& strip, StripForm form);

// An SVG file as part of a page: from its <svg> tag on, each id and each
// reference to one with this prefix, so that several on one page do not meet.
// Empty when it is no SVG, or more than a picture: it has scripts, event
// handlers, or refers to something outside of itself.
std::string inline_svg(std::string_view svg, const std::string& prefix,
                       const std::string& title);

}  // namespace parlab
