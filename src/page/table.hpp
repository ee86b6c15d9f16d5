// Tables that become a list of cards where the screen is narrow.
#pragma once

#include <string>
#include <vector>

#include "page/html.hpp"

namespace parlab::page {

struct Cell {
  std::string text;
  std::string note = {};  // in small print under it
  std::string link = {};  // where the text leads: "#fig-x"
  std::string id = {};    // by which others lead here
};

// A row with fewer cells than columns: its last one goes over what is
// left. The head of a group has one cell.
using Row = std::vector<Cell>;

// "–", or that something was not measured, and no note.
bool says_nothing(const Cell& cell);

// Each row becomes a card on a narrow screen, its cells labelled with the
// titles of their columns; a cell that says "–" is left out there. A column
// in which no cell says anything is left out everywhere, except the first.
void write_cards(Html& html,
                 const std::vector<std::string>& titles,
                 const std::vector<Row>& rows);

// Many numbers: scrolls within its own box on a narrow screen.
// Numbers stand on the right.
void write_numbers(Html& html,
                   const std::vector<std::string>& titles,
                   const std::vector<std::vector<std::string>>& rows);

}  // namespace parlab::page
