#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "claims/claim.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"

namespace parlab::page {
namespace {

// A part of a relative address: everything but letters,
// digits and . _ - as %XX.
std::string address(const std::string& folder) {
  std::string text;
  for (const char c : folder) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 &&
        (std::isalnum(byte) || c == '.' || c == '_' || c == '-')) {
      text += c;
    } else {
      const char* digits = "0123456789ABCDEF";
      text += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text + "/index.html";
}

Cell cell_of(const std::optional<Ceilings>& ceilings) {
  if (!ceilings) return {};
  std::vector<Text> peaks;
  for (const auto& [unit, peak] : ceilings->units)
    peaks.push_back(unit + " " + peak_rate(unit, peak));
  return {bandwidth(memory_bandwidth(*ceilings)), joined(peaks)};
}

// "2 x NVIDIA H200" where a run had several.
std::string gpus_of(const Measured& measured) {
  if (measured.runs.empty() || measured.runs.back().gpu.empty())
    return "no GPU";
  const Run& run = measured.runs.back();
  const std::string count =
      run.gpus.size() > 1 ? std::to_string(run.gpus.size()) + " × " : "";
  return count + run.gpu;
}

// Of one machine the fastest on one half of it, at one size and dtype.
struct Contender {
  const Measured* machine;
  const Entry* entry;
};

std::vector<Contender> contenders(const std::vector<Measured>& machines,
                                  const std::string& workload, Dtype dtype,
                                  const Size& size) {
  std::vector<Contender> found;
  for (const auto& measured : machines) {
    const auto point =
        of_size(of_dtype(of_workload(all(measured), workload), dtype), size);
    for (const bool gpu : {false, true}) {
      const auto* entry = best_peer(on_device(point, gpu));
      if (entry != nullptr) found.push_back({&measured, entry});
    }
  }
  std::ranges::stable_sort(found, {}, [](const Contender& one) {
    return one.entry->summary.median;
  });
  return found;
}

// The dtype and size that most machines have, and of these the largest.
std::optional<std::pair<Dtype, Size>> common_point(
    const std::vector<Measured>& machines, const std::string& workload) {
  std::map<std::pair<Dtype, Size>, std::set<std::string>> who;
  std::optional<std::pair<Dtype, Size>> chosen;
  Entries entries;
  for (const auto& measured : machines) {
    for (const auto* entry : of_workload(all(measured), workload)) {
      entries.push_back(entry);
      who[{entry->record.dtype, entry->record.size}].insert(measured.folder);
    }
  }
  // The dtype of the glance first: it is that of most backends.
  auto order = dtypes(entries);
  const auto main = main_dtype(entries);
  std::ranges::stable_partition(order,
                                [&](Dtype dtype) { return dtype == main; });
  for (const auto dtype : order) {
    std::optional<Size> largest;
    for (const auto& size : sizes(of_dtype(entries, dtype))) {
      if (!largest ||
          who[{dtype, size}].size() >= who[{dtype, *largest}].size())
        largest = size;
    }
    if (!chosen ||
        (largest && who[{dtype, *largest}].size() > who[*chosen].size())) {
      chosen = {dtype, *largest};
    }
  }
  return chosen;
}

// Machines that are not among those found, and halves of machines: "a, the CPU
// of b".
std::string without_it(const std::vector<Measured>& machines,
                       const std::vector<Contender>& found) {
  std::string text;
  for (const auto& measured : machines) {
    const auto has = [&](bool gpu) {
      return std::ranges::any_of(found, [&](const Contender& c) {
        return c.machine == &measured && on_gpu(c.entry->side) == gpu;
      });
    };
    const bool gpu = !measured.has_gpu() || has(true), cpu = has(false);
    if (gpu && cpu) continue;
    text += text.empty() ? "" : ", ";
    if (gpu != cpu) text += gpu ? "the CPU of " : "the GPU of ";
    text += measured.machine;
  }
  return text;
}

// "GPU", "CPU", or of several GPUs how many were at work.
std::string half_of(const Measured& measured, const Entry& entry) {
  if (!on_gpu(entry.side)) return "CPU";
  std::size_t there = 0;
  for (const auto& run : measured.runs)
    there = std::max(there, run.gpus.size());
  if (there < 2) return "GPU";
  return std::to_string(gpus_at_work(entry)) + " of its " +
         counted(there, "GPU");
}

}  // namespace

Section machine_list(const std::vector<Measured>& machines) {
  auto table = table_of({"Page", "GPU", "CPU", "Memory and peaks of one GPU",
                         "CPU memory and peaks", "Measured"});
  for (const auto& measured : machines) {
    Cell cpu;
    if (!measured.runs.empty()) {
      const auto& run = measured.runs.back();
      cpu = {run.cpu, counted(run.cores, "core") + ", " +
                          Quantity{run.memory_bytes, Unit::byte}};
    }
    table.rows.push_back({{{Link{measured.machine, address(measured.folder)}},
                           {gpus_of(measured)},
                           cpu,
                           cell_of(measured.device_ceilings()),
                           cell_of(measured.host_ceilings()),
                           {counted(measured.entries.size(), "point")}}});
  }
  return {.id = "machines",
          .title = "Machines",
          .label = "Machines",
          .blocks = {table}};
}

Section side_by_side(const std::vector<Measured>& machines) {
  std::set<std::string> workloads;
  for (const auto& measured : machines) {
    for (const auto& name : measured.workloads())
      workloads.insert(name);
  }
  auto table =
      table_of({"Machine", "Fastest variant", "Time", "Over the fastest"});
  std::string missing;
  for (const auto& workload : workloads) {
    const auto common = common_point(machines, workload);
    if (!common) continue;
    const auto found =
        contenders(machines, workload, common->first, common->second);
    if (found.empty()) continue;
    const auto without = without_it(machines, found);
    if (!without.empty())
      missing += (missing.empty() ? "" : "; ") + workload + " on " + without;
    const auto& fastest = *found.front().entry;
    table.rows.push_back({{{workload, point_of(fastest.record)}}, true});
    for (const auto& [machine, entry] : found) {
      Cell behind{"fastest"};
      if (entry != &fastest) {
        const auto longer =
            ratio(entry->summary.estimate, fastest.summary.estimate);
        behind = {times(longer) + Text(" the time"), interval(longer)};
      }
      table.rows.push_back({{{machine->machine, half_of(*machine, *entry)},
                             {setting(entry->record)},
                             with_interval(time_of(*entry)),
                             behind}});
    }
  }
  Section section{
      .id = "compared",
      .title = "Side by side",
      .label = "Side by side",
      .blocks = {
          Paragraph{"The fastest variant of each machine, kernel only, at the "
                    "largest size measured on most machines; small print is "
                    "the 95 % interval."},
          table}};
  if (!missing.empty()) {
    section.blocks.push_back(
        Paragraph{"Not measured at that size: " + missing + "."});
  }
  return section;
}

Section verdicts(const std::vector<Measured>& machines) {
  std::vector<std::string> titles{"Claim"};
  std::vector<std::vector<Finding>> of_each;
  for (const auto& measured : machines) {
    titles.push_back(measured.machine);
    of_each.push_back(judge_claims(measured.records, measured.runs));
  }
  auto table = table_of(titles);
  std::size_t untested = 0;
  for (std::size_t i = 0; !of_each.empty() && i < of_each.front().size(); ++i) {
    const auto& claim = of_each.front()[i];
    const bool tested = std::ranges::any_of(of_each, [&](const auto& findings) {
      return findings[i].outcome != Outcome::cannot_be_tested;
    });
    if (!tested) {
      ++untested;
      continue;
    }
    Row row{{{claim.id, claim.sentence}}};
    for (const auto& findings : of_each)
      row.cells.push_back({verdict_words(findings[i])});
    table.rows.push_back(std::move(row));
  }
  Section section{.id = "verdicts",
                  .title = "Claims of the source reports",
                  .label = "Claims"};
  if (untested > 0) {
    section.blocks = {
        Paragraph{counted(untested, "claim") +
                  " cannot be judged on any machine yet; the page of each "
                  "machine says which run is missing."}};
  }
  section.blocks.push_back(table);
  return section;
}

}  // namespace parlab::page
