// Documents as JSON Lines.
#pragma once

#include <string>

#include "facts/document.hpp"

namespace parlab {

// One line per row of its tables, in order, each with one object. "type" is the
// key of the table; the other members have the keys of its columns. A cell
// without text has no member. Tables without a key, paragraphs and charts are
// left out, because they are for people.
std::string json_lines(const Document& document);
std::string json_lines(const Table& table);

}  // namespace parlab
