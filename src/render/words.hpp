// Quantities and causes in words: the one place where they get them.
#pragma once

#include <string>
#include <vector>

#include "facts/cause.hpp"

namespace parlab {

struct Text;  // facts/document.hpp
struct Cell;
struct Table;

// A terminal may know ASCII alone: "16.24 us", "1.5x"; a page has "16.24 µs",
// "1.5×".
enum class Letters { ascii, unicode };

// Times and energies with four digits, all else with three; a factor near 1
// with three decimals.
std::string words(const Quantity& quantity, Letters letters = Letters::ascii);
// "16.20-16.30 us", or "too few samples"
std::string interval_words(const Quantity& quantity,
                           Letters letters = Letters::ascii);
std::string words(const Detail& detail, Letters letters = Letters::ascii);
std::string words(const Text& text, Letters letters = Letters::ascii);
// Its note in brackets behind it.
std::string words(const Cell& cell, Letters letters = Letters::ascii);
// Which columns people see in text: those for them in which a row says
// something.
std::vector<bool> shown_columns(const Table& table);
// A number of an axis, of one digit: "20 ms", "10 Tflop/s", "2000", "10⁸".
std::string tick_words(double value, Unit unit);

}  // namespace parlab
