#include "counters/ncu_lines.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "core/text.hpp"
#include "places/executor.hpp"

namespace parlab {
namespace {

// Names of metrics.
namespace per_instruction {
constexpr const char *issued = "inst_executed",
                     *lanes = "thread_inst_executed_true",
                     *memory = "memory_type", *kind = "memory_access_type",
                     *bits = "memory_access_size_type",
                     *sectors = "memory_l2_theoretical_sectors_global",
                     *fewest_sectors =
                         "memory_l2_theoretical_sectors_global_ideal",
                     *wavefronts = "memory_l1_wavefronts_shared",
                     *fewest_wavefronts = "memory_l1_wavefronts_shared_ideal";
}  // namespace per_instruction

// An instruction with its metrics by name. A metric that no instruction of the
// kernel has is missing.
class Instruction {
 public:
  Instruction(std::vector<std::string> titles, std::vector<std::string> cells)
      : titles_(std::move(titles)), cells_(std::move(cells)) {}

  std::string text(const std::string& title) const {
    const auto found = std::ranges::find(titles_, title);
    return found == titles_.end()
               ? ""
               : cells_[static_cast<std::size_t>(found - titles_.begin())];
  }
  std::int64_t count(const char* title) const {
    return static_cast<std::int64_t>(number_of_ncu(text(title)).value_or(0));
  }
  // "REDG.E.ADD" of "@P0   REDG.E.ADD desc[UR6][R6.64], R17"
  std::string operation() const {
    std::istringstream words(cells_[3]);
    std::string word;
    words >> word;
    if (word.starts_with('@')) words >> word;
    return word;
  }
  std::optional<Access> access() const {
    if (operation().starts_with("BAR.SYNC")) return Access::barrier;
    const auto where = text(per_instruction::memory),
               how = text(per_instruction::kind);
    const bool shared = where == "Shared";
    if (!shared && where != "Global") return std::nullopt;
    if (how == "Load")
      return shared ? Access::shared_load : Access::global_load;
    if (how == "Store")
      return shared ? Access::shared_store : Access::global_store;
    // "Atomic", or "-" for one without a result
    return shared ? Access::shared_atomic : Access::atomic;
  }

 private:
  std::vector<std::string> titles_, cells_;
};

// A line of a source file; first those that say most of an instruction, as
// emulation chooses them: of a kernel's own files, and there the innermost one
// of inlined functions. A file is included before it is used, and a function
// comes before its callers.
struct InstructionPlace {
  std::string file;
  unsigned line = 0;

  auto order() const {
    return std::tuple(file.ends_with(".cuh")  ? 0
                      : file.ends_with(".cu") ? 1
                                              : 2,
                      line, file);
  }
};

// An execution's sums by line, kind and bytes.
class LinesOfExecution {
 public:
  void add(const InstructionPlace& place, const Instruction& instruction) {
    const auto access = instruction.access();
    if (!access || instruction.count(per_instruction::lanes) == 0) return;
    constexpr int bits_of_byte = 8;
    const auto bytes = instruction.count(per_instruction::bits) / bits_of_byte;
    auto& line = lines_[{place.file, place.line, *access, bytes}];
    line.file = place.file;
    line.line = place.line;
    line.access = *access;
    line.bytes = bytes;
    line.requests += instruction.count(per_instruction::issued);
    line.lanes += instruction.count(per_instruction::lanes);
    const bool shared = is_shared(*access);
    line.moved += instruction.count(shared ? per_instruction::wavefronts
                                           : per_instruction::sectors);
    line.fewest += instruction.count(shared ? per_instruction::fewest_wavefronts
                                            : per_instruction::fewest_sectors);
  }
  std::vector<CountedLine> costliest_first() const {
    std::vector<CountedLine> all;
    for (const auto& [key, line] : lines_)
      all.push_back(line);
    std::ranges::stable_sort(all, std::ranges::greater{}, &CountedLine::moved);
    return all;
  }

 private:
  std::map<std::tuple<std::string, unsigned, Access, std::int64_t>, CountedLine>
      lines_;
};

// One kernel of the page. ncu shows an inlined instruction at the line of the
// function and at that of the call, and all of them twice.
class KernelOnPage {
 public:
  // Whether these rows belong to another kernel or another launch.
  bool ends_at(const std::string& function, const std::string& file) const {
    return function != function_ || files_.contains(file);
  }
  void begin_file(const std::string& function, const std::string& file) {
    function_ = function;
    files_.insert(file);
  }
  void add(const InstructionPlace& place, const std::string& address,
           const Instruction& instruction) {
    const auto [known, is_new] =
        instructions_.try_emplace(address, place, instruction);
    auto& best = known->second.first;
    if (!is_new && place.order() < best.order()) best = place;
  }
  // The execution that begins with this kernel, if it is a mark, which has one
  // thread in each of number + 1 blocks.
  std::optional<std::size_t> mark() const {
    if (function_.find(profile_mark) == function_.npos) return std::nullopt;
    std::int64_t warps = 0;
    for (const auto& [address, one] : instructions_)
      warps = std::max(warps, one.second.count(per_instruction::issued));
    return static_cast<std::size_t>(warps) - 1;
  }
  void add_to(LinesOfExecution& lines) const {
    for (const auto& [address, one] : instructions_)
      lines.add(one.first, one.second);
  }

 private:
  std::string function_;
  std::set<std::string> files_;
  // by address
  std::map<std::string, std::pair<InstructionPlace, Instruction>> instructions_;
};

}  // namespace

const std::vector<std::string> metrics_of_lines{
    per_instruction::issued,
    per_instruction::lanes,
    per_instruction::memory,
    per_instruction::kind,
    per_instruction::bits,
    per_instruction::sectors,
    per_instruction::fewest_sectors,
    per_instruction::wavefronts,
    per_instruction::fewest_wavefronts};

std::vector<std::vector<CountedLine>> lines_by_execution(
    const std::string& source_page, std::size_t executions) {
  std::vector<LinesOfExecution> of_execution(executions);
  auto execution = executions;  // none yet
  KernelOnPage kernel;
  const auto end_kernel = [&] {
    if (const auto next = kernel.mark())
      execution = *next;
    else if (execution < executions)
      kernel.add_to(of_execution[execution]);
    kernel = {};
  };
  InstructionPlace place;
  std::vector<std::string> titles;
  for (const auto& row : split(source_page, '\n')) {
    if (row.starts_with("\"File Path\",")) {
      place = {.file = cells_of_ncu(row)[1]};
    } else if (row.starts_with("\"Function Name\",")) {
      const auto function = cells_of_ncu(row)[1];
      if (kernel.ends_at(function, place.file)) end_kernel();
      kernel.begin_file(function, place.file);
    } else if (row.starts_with("\"Line No\",")) {
      titles = cells_of_ncu(row);
    } else if (row.starts_with("\"\",\"\",\"0x")) {
      const auto cells = cells_of_ncu(row);
      if (cells.size() == titles.size())
        kernel.add(place, cells[2], {titles, cells});
    } else if (row.size() > 1 && std::isdigit(row[1]) != 0) {
      // Quotes in the line's text are not doubled, so it has no cells.
      place.line =
          static_cast<unsigned>(std::strtoul(row.c_str() + 1, nullptr, 10));
    }
  }
  end_kernel();
  std::vector<std::vector<CountedLine>> lines;
  for (const auto& one : of_execution)
    lines.push_back(one.costliest_first());
  return lines;
}

std::vector<std::string> cells_of_ncu(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        cells.back() += line[++i];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else if (line[i] != '\r') {
      cells.back() += line[i];
    }
  }
  return cells;
}

std::optional<double> number_of_ncu(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace parlab
