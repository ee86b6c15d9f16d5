// A document as text for a terminal, in lines of at most 100 columns.
#pragma once

#include <string>

#include "facts/document.hpp"

namespace parlab {

// An empty line stands before each block but a paragraph in small print, which
// belongs to what it follows. Charts and pictures are left out.
std::string terminal(const Document& document);
// Long names are wrapped, columns that say nothing are left out. A table of
// numbers is as wide as it is, and has "-" where a number is missing. Of a row
// with fewer cells than columns the last cell takes the room that is left.
std::string terminal(const Table& table);
// Its title, and its blocks without empty lines between them.
std::string terminal(const Section& section);

}  // namespace parlab
