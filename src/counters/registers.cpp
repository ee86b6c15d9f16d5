#include "counters/registers.hpp"

#include <algorithm>
#include <optional>
#include <regex>

#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "counters/ncu.hpp"
#include "places/kernel_name.hpp"

namespace parlab {
std::vector<KernelResources> parse_ptxas(const std::string& output) {
  static const std::regex entry(
      "ptxas info +: Compiling entry function '(\\S+)' for 'sm_\\w+'"),
      spills(
          " +\\d+ bytes stack frame, (\\d+) bytes spill stores, "
          "\\d+ bytes spill loads"),
      used("ptxas info +: Used (\\d+) registers(, .*)?");
  std::vector<KernelResources> all;
  std::optional<KernelResources> now;
  for (const auto& line : split(output, '\n')) {
    std::smatch found;
    if (std::regex_match(line, found, entry)) {
      now = {.kernel = plain_kernel_name(found[1])};
    } else if (now && std::regex_match(line, found, spills)) {
      now->spill_bytes = std::stoi(found[1]);
    } else if (now && std::regex_match(line, found, used)) {
      now->registers = std::stoi(found[1]);
      all.push_back(*now);
      now.reset();
    }
  }
  std::ranges::sort(all, {}, &KernelResources::kernel);
  return all;
}

std::vector<KernelResources> resources_of(const std::string& source) {
  const auto nvcc = find_tool("nvcc");
  if (nvcc.empty())
    throw ExplainedError(other("no registers: nvcc is not in PATH"));
  const auto base = base_folder();
  const auto [said, succeeded] = output_of(
      {nvcc, "-std=c++20", "-O1", "-arch=sm_90", "-I" + (base / "src").string(),
       "-DCUDA_NO_HALF", "--expt-relaxed-constexpr", "-Xptxas", "-v", "-cubin",
       "-o", "/dev/null", (base / source).string()});
  auto all = parse_ptxas(said);
  if (!succeeded || all.empty())
    throw ExplainedError(other("no registers: nvcc said: " + said));
  return all;
}

Table table_of(const std::vector<KernelResources>& all,
               std::int64_t threads_per_block) {
  // of a multiprocessor; a warp gets registers in units
  constexpr std::int64_t registers = 65536, unit = 256, warp = 32,
                         most_warps = 64;
  const auto warps_of_block =
      std::max<std::int64_t>((threads_per_block + warp - 1) / warp, 1);
  Table table{
      .key = "registers",
      .columns = {{"kernel", "kernel"},
                  {"registers", "registers", true},
                  {"spill_bytes", "spilled bytes", true},
                  {"warps_at_once", "warps at once by registers", true}}};
  for (const auto& one : all) {
    const auto of_warp =
        (std::max(one.registers, 1) * warp + unit - 1) / unit * unit;
    const auto room = std::min(registers / of_warp, most_warps);
    table.rows.push_back(row_of({one.kernel, std::int64_t{one.registers},
                                 std::int64_t{one.spill_bytes},
                                 room / warps_of_block * warps_of_block}));
    if (one.spill_bytes > 0) table.rows.back().tone = Tone::bad;
  }
  return table;
}

}  // namespace parlab
