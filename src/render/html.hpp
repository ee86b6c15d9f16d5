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

}  // namespace parlab
