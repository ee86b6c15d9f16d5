// A document as an HTML page that needs nothing else.
#pragma once

#include <string>

#include "facts/document.hpp"

namespace parlab {

// Sections, tables, charts and pictures, whatever is in their texts. Tables
// become lists of cards where the screen is narrow, those of numbers scroll.
std::string html(const Document& document);

// How it looks: CSS.
extern const char* const page_style;
// Marks the link to the alternative that is shown, the first of them until
// another is chosen. count: of alternatives.
std::string style_of_choice(std::size_t count);
// What it does more where scripts run: JavaScript, and the SHA-256 of it, by
// which the page lets it run, and nothing else.
extern const char* const page_script;
extern const char* const page_script_hash;

}  // namespace parlab
