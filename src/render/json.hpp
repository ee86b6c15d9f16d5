// Documents as JSON Lines.
#pragma once

#include <string>

#include "facts/document.hpp"

namespace parlab {

// An object for each row of its tables, in their order, on a line of its own:
// "type" is the key of the table, the other members have the keys of its
// columns. A cell without text has no member; tables without a key, paragraphs
// and charts are for people.
std::string json_lines(const Document& document);
std::string json_lines(const Table& table);

}  // namespace parlab
