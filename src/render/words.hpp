// Turns quantities and causes into words; nothing else does.
#pragma once

#include <string>
#include <vector>

#include "facts/cause.hpp"

namespace parlab {

struct Text;  // facts/document.hpp
struct Cell;
struct Table;

// A terminal may only support ASCII: "16.24 us", "1.5x". A page has "16.24 µs",
// "1.5×".
enum class Letters { ascii, unicode };

// Times and energies get four digits, everything else three, and a factor near
// 1 three decimals.
std::string words(const Quantity& quantity, Letters letters = Letters::ascii);
// "16.20-16.30 us", or "too few samples"
std::string interval_words(const Quantity& quantity,
                           Letters letters = Letters::ascii);
std::string words(const Detail& detail, Letters letters = Letters::ascii);
std::string words(const Text& text, Letters letters = Letters::ascii);
// The note follows in brackets.
std::string words(const Cell& cell, Letters letters = Letters::ascii);
// The same with one prefix for the rates of a column, that of the middle
// between the least and the largest: rates in GB/s and TB/s are hard to
// compare.
Table with_alike_rates(Table table);
// The columns that text shows: those for people in which at least one row has
// content.
std::vector<bool> shown_columns(const Table& table);
// A number on an axis, with one digit: "20 ms", "10 Tflop/s", "2000", "10⁸".
std::string tick_words(double value, Unit unit);

}  // namespace parlab
