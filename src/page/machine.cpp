#include <algorithm>
#include <functional>
#include <set>

#include "core/text.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "render/words.hpp"

namespace parlab::page {
namespace {

// The different values of a fact in all runs, oldest first.
template <typename Value>
std::string each(const std::vector<Run>& runs, Value value) {
  std::vector<std::string> seen;
  for (const auto& run : runs) {
    const std::string text = std::invoke(value, run);
    if (!text.empty() && std::ranges::find(seen, text) == seen.end())
      seen.push_back(text);
  }
  return join(seen, ", ");
}

// Names of facts and their values; unknown facts are left out.
Table facts(const std::vector<std::pair<std::string, Text>>& all) {
  auto table = table_of({"", ""});
  for (const auto& [name, text] : all) {
    if (!text.empty()) table.add({name, text});
  }
  return table;
}

Quantity size_of(double bytes) {
  return {bytes, Unit::byte};
}

Text peak_of(const std::vector<std::pair<double, double>>& curve) {
  if (curve.empty()) return {};
  const auto best = std::ranges::max_element(
      curve, {}, [](const auto& one) { return one.second; });
  const auto memory = bandwidth(curve.back().second) + Text(" from memory (") +
                      size_of(curve.back().first) + ")";
  if (best->first == curve.back().first) return memory;
  return memory + ", at most " + bandwidth(best->second) + " (" +
         size_of(best->first) + ")";
}

Section ceilings_of(const std::string& what, const Ceilings& ceilings) {
  std::vector<std::pair<std::string, Text>> peaks{
      {"Read", peak_of(ceilings.read)}, {"Copy", peak_of(ceilings.copy)}};
  for (const auto& [unit, flops] : ceilings.units)
    peaks.push_back({"Peak, " + unit, peak_rate(unit, flops)});
  for (const auto* link :
       {link_from_host, link_to_host, link_from_and_to_host}) {
    const auto found = ceilings.links.find(link);
    if (found != ceilings.links.end()) {
      peaks.push_back(
          {std::string("Pinned memory, ") + link, bandwidth(found->second)});
    }
  }
  if (ceilings.launch_s > 0) {
    peaks.push_back(
        {"Empty kernel", Quantity{ceilings.launch_s, Unit::second}});
  }
  Section section{
      .title = "Measured ceilings of the " + what,
      .blocks = {remark("The best that any run measured."), facts(peaks)}};
  auto table =
      folded_numbers("Bandwidth by footprint", {"footprint", "read", "copy"});
  for (const auto& [bytes, read] : ceilings.read) {
    const auto copy = std::ranges::find_if(
        ceilings.copy,
        [size = bytes](const auto& point) { return point.first == size; });
    table.add({size_of(bytes), bandwidth(read),
               copy == ceilings.copy.end() ? Text() : bandwidth(copy->second)});
  }
  section.add(table);
  return section;
}

// ": reading 1.00 GiB at 95.8 GB/s to 198 GB/s"; empty if all runs agree.
Text spread_of_memory(const std::vector<Run>& runs) {
  double least = 0, most = 0, bytes = 0;
  for (const auto& run : runs) {
    if (run.host.read.empty()) continue;
    const auto [footprint, rate] = run.host.read.back();
    bytes = footprint;
    least = least == 0 ? rate : std::min(least, rate);
    most = std::max(most, rate);
  }
  if (!(most > 1.02 * least)) return {};
  return ": reading " + Text(size_of(bytes)) + " at " + bandwidth(least) +
         " to " + bandwidth(most);
}

Text hosts_of(const std::vector<Run>& runs) {
  std::set<std::string> hosts, boards;
  for (const auto& run : runs) {
    for (const auto& gpu : run.gpus)
      boards.insert(gpu.uuid);
    if (!run.host_id.empty())
      hosts.insert(run.host_id + " " + gpus_of_host(run));
  }
  if (hosts.size() < 2) return {};
  return counted(hosts.size(), "host") + " of this name, with " +
         counted(boards.size(), "GPU") +
         " of the same model: each point comes from the host that measured it "
         "last. Hosts differ most in the memory of their CPU" +
         spread_of_memory(runs);
}

std::string dates_of(const std::vector<Run>& runs) {
  if (runs.empty()) return "";
  const auto first = runs.front().date.substr(0, 10),
             last = runs.back().date.substr(0, 10);
  return first + (last == first ? "" : " to " + last);
}

}  // namespace

std::string not_measured(const Measured& measured,
                         const std::vector<Finding>& findings) {
  if (measured.experiments.empty()) return "";
  std::set<std::string> missing;
  for (const auto& finding : findings)
    missing.insert(finding.report);
  for (const auto& experiment : measured.experiments)
    missing.erase(experiment.name);
  std::vector<std::string> everywhere, on_cpu, on_gpus;
  for (const auto* workload : Registry::instance().workloads()) {
    const std::string name(workload->name());
    const auto entries = of_workload(all(measured), name);
    if (entries.empty()) {
      everywhere.push_back(name);
      continue;
    }
    if (on_device(entries, false).empty()) on_cpu.push_back(name);
    if (!measured.has_gpu()) continue;
    // Some types exist only in kernels; all types of the CPU exist there too.
    for (const auto dtype : dtypes(entries)) {
      if (on_device(of_dtype(entries, dtype), true).empty())
        on_gpus.push_back(name + " in " + std::string(to_string(dtype)));
    }
  }
  std::vector<std::string> parts;
  const auto add = [&](const std::string& what,
                       const std::vector<std::string>& names) {
    if (!names.empty()) parts.push_back(what + join(names, ", "));
  };
  add("the experiments (make NAME) ", {missing.begin(), missing.end()});
  add("the workloads ", everywhere);
  add("on the CPU ", on_cpu);
  add("on the GPU ", on_gpus);
  return parts.empty() ? "" : "Not measured here: " + join(parts, "; ") + ".";
}

Section machine(const Measured& measured) {
  const auto& runs = measured.runs;
  const auto gpu = each(runs, &Run::gpu);
  std::set<std::string> blas;
  for (const auto& entry : measured.entries) {
    if (entry.side == Side::cpu_library) blas.insert(entry.record.library);
  }
  blas.erase("");
  // From the last build: earlier ones differ little, and each record has its
  // own.
  const std::string flags = runs.empty() ? "" : runs.back().flags;
  const bool of_gpu = flags.find("nvcc") != flags.npos;
  Section section{
      .id = "machine",
      .title = "The machine",
      .label = "The machine",
      .blocks = {facts(
          {{"GPU", gpu.empty() ? "no GPU here: CUDA kernels are verified by "
                                 "emulation, never timed"
                               : gpu},
           {"Driver", each(runs, &Run::driver)},
           {"CUDA", each(runs, &Run::cuda)},
           {"Hosts", hosts_of(runs)},
           {"CPU", each(runs,
                        [](const Run& run) {
                          return run.cpu +
                                 (run.cores > 0
                                      ? ", " + counted(run.cores, "core")
                                      : "");
                        })},
           {"Memory", each(runs,
                           [](const Run& run) {
                             return run.memory_bytes > 0
                                        ? words(size_of(run.memory_bytes))
                                        : "";
                           })},
           {"Left out", left_out(measured.rejected, measured.folder)},
           {"BLAS of the CPU", join(blas, ", ")},
           {"Compiler", each(runs, &Run::compiler)},
           {"Flags of the last build",
            flags + (of_gpu ? " (-O of nvcc applies to the host's side; GPU "
                              "code is fully optimised)"
                            : "")},
           {"Measured", dates_of(runs)},
           {"Versions", each(runs, &Run::commit)},
           {"Records", counted(measured.entries.size(), "point") +
                           " measured with warm caches"}})}};
  if (const auto ceilings = measured.device_ceilings())
    section.add(ceilings_of("GPU", *ceilings));
  if (const auto ceilings = measured.host_ceilings())
    section.add(ceilings_of("CPU", *ceilings));
  return section;
}

}  // namespace parlab::page
