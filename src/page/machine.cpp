#include <algorithm>
#include <set>

#include "core/numbers.hpp"
#include "page/sections.hpp"
#include "page/table.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

using Curve = std::vector<std::pair<double, double>>;

// The values a run fact had, the oldest first, each once.
template <typename Value>
std::string each(const std::vector<Run>& runs, Value value) {
  std::vector<std::string> seen;
  for (const auto& run : runs) {
    const std::string text = value(run);
    if (!text.empty() &&
        std::find(seen.begin(), seen.end(), text) == seen.end()) {
      seen.push_back(text);
    }
  }
  std::string joined;
  for (const auto& text : seen)
    joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

void fact(Html& html, const std::string& name, const std::string& text) {
  if (text.empty()) return;
  html.element("dt", name).element("dd", text).line_break();
}

std::string peak_of(const Curve& curve) {
  if (curve.empty()) return "";
  const auto best = std::max_element(
      curve.begin(), curve.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto memory = bandwidth(curve.back().second) + " from memory (" +
                      bytes_with_unit(curve.back().first) + ")";
  if (best->first == curve.back().first) return memory;
  return memory + ", at the most " + bandwidth(best->second) + " (" +
         bytes_with_unit(best->first) + ")";
}

void write_ceilings(Html& html,
                    const std::string& what,
                    const Ceilings& ceilings) {
  html.element("h3", "Measured ceilings of the " + what)
      .element("p", "The best that any run measured.", {{"class", "note"}})
      .open("dl")
      .line_break();
  fact(html, "Read", peak_of(ceilings.read));
  fact(html, "Copy", peak_of(ceilings.copy));
  for (const auto& [unit, flops] : ceilings.units) {
    fact(html, "Peak, " + unit, peak_rate(unit, flops));
  }
  for (const auto* link :
       {link_from_host, link_to_host, link_from_and_to_host}) {
    const auto found = ceilings.links.find(link);
    if (found == ceilings.links.end()) continue;
    fact(html, std::string("Pinned memory, ") + link, bandwidth(found->second));
  }
  if (ceilings.launch_s > 0)
    fact(html, "Empty kernel", duration(ceilings.launch_s));
  html.close().line_break();
  std::vector<std::vector<std::string>> rows;
  for (const auto& [bytes, read] : ceilings.read) {
    const auto copy = std::find_if(
        ceilings.copy.begin(), ceilings.copy.end(),
        [size = bytes](const auto& point) { return point.first == size; });
    rows.push_back({bytes_with_unit(bytes), significant(read * 1e-9, 3),
                    copy == ceilings.copy.end()
                        ? "-"
                        : significant(copy->second * 1e-9, 3)});
  }
  if (rows.empty()) return;
  html.open("details").element("summary", "Bandwidth by footprint");
  write_numbers(html, {"footprint", "read GB/s", "copy GB/s"}, rows);
  html.close().line_break();
}

// ": reading 1.00 GiB at 95.8 GB/s to 198 GB/s"; empty where that is the same
// in all runs.
std::string spread_of_memory(const std::vector<Run>& runs) {
  double least = 0, most = 0, bytes = 0;
  for (const auto& run : runs) {
    if (run.host.read.empty()) continue;
    const auto [footprint, rate] = run.host.read.back();
    bytes = footprint;
    least = least == 0 ? rate : std::min(least, rate);
    most = std::max(most, rate);
  }
  if (!(most > 1.02 * least)) return "";
  return ": reading " + bytes_with_unit(bytes) + " at " + bandwidth(least) +
         " to " + bandwidth(most);
}

}  // namespace

void write_machine(Html& html, const Measured& measured) {
  html.open("section", {{"id", "machine"}})
      .element("h2", "The machine")
      .open("dl")
      .line_break();
  const auto& runs = measured.runs;
  std::set<std::string> hosts, boards;
  for (const auto& run : runs) {
    for (const auto& gpu : run.gpus)
      boards.insert(gpu.uuid);
    if (!run.host_id.empty())
      hosts.insert(run.host_id + " " + gpus_of_host(run));
  }
  const auto gpu = each(runs, [](const Run& run) { return run.gpu; });
  fact(html, "GPU",
       gpu.empty()
           ? "no GPU here: CUDA kernels are verified by emulation, never timed"
           : gpu);
  fact(html, "Driver", each(runs, [](const Run& run) { return run.driver; }));
  fact(html, "CUDA", each(runs, [](const Run& run) { return run.cuda; }));
  fact(
      html, "Hosts",
      hosts.size() > 1
          ? counted(hosts.size(), "host") + " of this name, with " +
                counted(boards.size(), "GPU") +
                " of the same kind: each point is of the host that measured it "
                "last. Hosts differ, above all in the memory of their CPU" +
                spread_of_memory(runs)
          : "");
  fact(html, "CPU", each(runs, [](const Run& run) {
         return run.cpu +
                (run.cores > 0 ? ", " + counted(run.cores, "core") : "");
       }));
  fact(html, "Memory", each(runs, [](const Run& run) {
         return run.memory_bytes > 0 ? bytes_with_unit(run.memory_bytes) : "";
       }));
  std::set<std::string> blas;
  for (const auto& entry : measured.entries) {
    if (entry.side == Side::cpu_library) blas.insert(entry.record.library);
  }
  blas.erase("");
  std::string names;
  for (const auto& name : blas)
    names += (names.empty() ? "" : ", ") + name;
  fact(html, "BLAS of the CPU", names);
  fact(html, "Compiler",
       each(runs, [](const Run& run) { return run.compiler; }));
  // Of the last build: those before it differ in little, and
  // each record has its own.
  const std::string flags = runs.empty() ? "" : runs.back().flags;
  const bool of_gpu = flags.find("nvcc") != flags.npos;
  fact(html, "Flags of the last build",
       flags + (of_gpu ? " (-O of nvcc is that of the host's side; what runs "
                         "on the GPU is optimised in full)"
                       : ""));
  fact(html, "Measured",
       runs.empty() ? ""
                    : runs.front().date.substr(0, 10) +
                          (runs.back().date.substr(0, 10) ==
                                   runs.front().date.substr(0, 10)
                               ? ""
                               : " to " + runs.back().date.substr(0, 10)));
  fact(html, "Versions", each(runs, [](const Run& run) { return run.commit; }));
  fact(
      html, "Records",
      counted(measured.entries.size(), "point") + " measured with warm caches");
  html.close().line_break();
  if (const auto ceilings = measured.device_ceilings())
    write_ceilings(html, "GPU", *ceilings);
  if (const auto ceilings = measured.host_ceilings())
    write_ceilings(html, "CPU", *ceilings);
  html.close().line_break();
}

}  // namespace parlab::page
