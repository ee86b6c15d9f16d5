// A document as text for a terminal.
#pragma once

#include <string>

#include "facts/document.hpp"
#include "render/words.hpp"

namespace parlab {

// How a text looks on its way out: as a file has it, unless something is known
// of the terminal behind it.
struct Looks {
  std::size_t width = 100;  // columns of a line
  Letters letters = Letters::ascii;
  bool colours = false;
  // for a place that shows Markdown: see render/readable.hpp
  bool markdown = false;
};

// An empty line stands before each block but a paragraph in small print, which
// belongs to what it follows. Charts and pictures are left out.
std::string terminal(const Document& document, const Looks& looks = {});
// Long names are wrapped, columns that say nothing are left out. A table of
// numbers is as wide as it is, and has "-" where a number is missing. Of a row
// with fewer cells than columns the last cell takes the room that is left.
std::string terminal(const Table& table, const Looks& looks = {});
// Its title, and its blocks without empty lines between them.
std::string terminal(const Section& section, const Looks& looks = {});

}  // namespace parlab
