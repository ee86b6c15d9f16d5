// Reads from ncu what each source line of a kernel asked of memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "places/counted.hpp"

namespace parlab {

// The metrics of each instruction that lines_by_execution() needs. An older ncu
// may lack some.
extern const std::vector<std::string> metrics_of_lines;

// One entry for each execution, from the output of `ncu --csv --page source
// --print-source cuda,sass`. As in counters_by_execution() an execution has the
// kernels after its mark. Kernels of libraries without line information have no
// lines. Requests are the instructions that warps issued, also with all lanes
// switched off; array, stride, distinct sectors and first addresses are
// unknown. An instruction that ncu shows only in a header, such as an atomic,
// belongs to the header's line. Instructions that read one memory and write
// another have no line.
std::vector<std::vector<CountedLine>> lines_by_execution(
    const std::string& source_page, std::size_t executions);

// The cells of one line of ncu's CSV: "a","b ""c""",d
std::vector<std::string> cells_of_ncu(const std::string& line);
// 1234.5 from "1,234.5"; nothing for "n/a" and other text.
std::optional<double> number_of_ncu(std::string text);

}  // namespace parlab
