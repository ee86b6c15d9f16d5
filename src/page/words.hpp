// Measurements in the words of the page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/document.hpp"
#include "page/measured.hpp"

namespace parlab::page {

Quantity time_of(const Uncertain& seconds);
Quantity time_of(const Entry& entry);
Quantity times(const Ratio& ratio);  // times as fast or as long
// A quantity with its interval in small print below.
Cell with_interval(const Quantity& quantity);
// Why it has no limit.
Text without_limit(const Entry& entry);
// Its interval, in the same direction as as_fast().
Text range_of(const Ratio& ratio);
// "4.40× as fast", "2.10× slower", or that no difference can be measured.
Text as_fast(const Ratio& ratio);
// The same before a name: "4.40× as fast as ", "2.10× slower than ".
Text as_fast_as(const Ratio& ratio);
// Its interval; adds that it cannot be told from 1: "0.99–1.01×: a tie".
Text interval(const Ratio& ratio);

// The words of docs/reference/glossary.md, or nothing where that is missing.
std::optional<Section> glossary();

std::string setting(const Record& record);      // "cuda/naive, block=16"
std::string tunables_of(const Record& record);  // "block=16"
// "different GPUs" if both name their GPU and these differ; otherwise
// "different hosts" if their hosts had different GPUs; otherwise none.
Detail of_two(const Record& a, const Record& b);
// "; on different GPUs", or nothing
Text behind_of_two(const Record& a, const Record& b);
// "4096×4096", "1024", "512×512 radius=16"
std::string dimensions(const Record& record);
// the same and the dtype
std::string point_of(const Record& record);
// The share of the roof: 0..1, or above if the roof is wrong; nullopt if it was
// not measured.
std::optional<double> of_roof(const Entry& entry);
Quantity share(double fraction);
Quantity bandwidth(double bytes_per_second);
Quantity rate(double flops_per_second);
// "1 point", "3 points"
std::string counted(std::size_t count, const std::string& one);
// The times that leave_out_rejected() took from these records, or nothing.
Text left_out(std::size_t times, const std::string& records);
// "a, b"; `between` separates the texts
Text joined(const std::vector<Text>& parts, const char* between = ", ");

// "2 × NVIDIA H200" if a run had several.
std::string gpus_of(const Measured& measured);
std::size_t gpus_of_last_run(const Measured& measured);
bool several_gpus(const Measured& measured);
// "A^T", "rows x cols" and "3x3" in typographic characters.
std::string typeset(const std::string& text);
// In typographic characters.
std::string in_words(const Text& text);
// The result of limit_of(), in words that fit into a sentence.
std::string limit_words(const std::string& limit);
// "3 of 7"
std::string of_all(std::size_t some, std::size_t all);

// A logarithmic axis that covers all marks of a strip and 1.
void logarithmic_axis(Strip& strip);

// A table whose cells have these titles above them.
Table table_of(const std::vector<std::string>& titles);
// The same with a title that unfolds it, but not folded on paper.
Table folded_table(const Text& title, const std::vector<std::string>& titles);
// The same for a table of numbers, folded on paper, too.
Table folded_numbers(const Text& title, const std::vector<std::string>& titles);

}  // namespace parlab::page
