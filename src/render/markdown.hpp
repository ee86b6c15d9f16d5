// A document as GitHub's Markdown, for a pull request or an issue.
#pragma once

#include <string>

#include "facts/document.hpp"

namespace parlab {

// One paragraph, list or table each, with an empty line between them. Text that
// Markdown would interpret is escaped. A table has the columns that a terminal
// shows; folded parts unfold by a click. Charts and pictures are left out.
std::string markdown(const Document& document);
std::string markdown(const Table& table);
std::string markdown(const Section& section);

}  // namespace parlab
