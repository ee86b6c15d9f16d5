// A document as text for a terminal.
#pragma once

#include <string>

#include "facts/document.hpp"
#include "render/words.hpp"

namespace parlab {

// The format of output text. The defaults suit a file; a terminal may change
// them.
struct Looks {
  std::size_t width = 100;  // characters per line
  Letters letters = Letters::ascii;
  bool colours = false;
  // for output that is shown as Markdown: see render/readable.hpp
  bool markdown = false;
};

// There is an empty line before each block except a paragraph in small print,
// which belongs to the block before it. Charts and pictures are left out.
std::string terminal(const Document& document, const Looks& looks = {});
// Long names are wrapped, and columns without content are left out. A table of
// numbers keeps its full width and has "-" for missing numbers. In a row with
// fewer cells than columns, the last cell takes the remaining room.
std::string terminal(const Table& table, const Looks& looks = {});
// The section's title, and its blocks without empty lines between them.
std::string terminal(const Section& section, const Looks& looks = {});

}  // namespace parlab
