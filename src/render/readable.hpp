// A document for people: on a terminal, or as Markdown.
#pragma once

#include <string>

#include "render/markdown.hpp"
#include "render/terminal.hpp"

namespace parlab {

// said: a Document, a Section or a Table.
template <typename T>
std::string readable(const T& said, const Looks& looks) {
  return looks.markdown ? markdown(said) : terminal(said, looks);
}

}  // namespace parlab
