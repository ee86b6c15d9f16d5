// A document as a self-contained HTML page.
#pragma once

#include <string>

#include "facts/document.hpp"

namespace parlab {

// Sections, tables, charts and pictures; their texts are escaped. On a narrow
// screen tables become lists of cards, and those of numbers scroll.
std::string html(const Document& document);

// The style of the page: CSS.
extern const char* const page_style;
// Marks the link to the alternative that is shown, the first until another is
// chosen. count: number of alternatives.
std::string style_of_choice(std::size_t count);
// Additional functions if scripts run: JavaScript, and its SHA-256, by which
// the page allows this script and no other.
extern const char* const page_script;
extern const char* const page_script_hash;

}  // namespace parlab
