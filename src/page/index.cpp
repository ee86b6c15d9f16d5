#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "claims/claim.hpp"
#include "core/text.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "render/markup.hpp"

namespace parlab::page {
namespace {

Cell cell_of(const std::optional<Ceilings>& ceilings) {
  if (!ceilings) return {};
  std::vector<Text> peaks;
  for (const auto& [unit, peak] : ceilings->units)
    peaks.push_back(unit + " " + peak_rate(unit, peak));
  return {bandwidth(memory_bandwidth(*ceilings)), joined(peaks)};
}

// The name that distinguishes it from other machines.
std::string label_of(const Measured& measured) {
  const auto gpus = gpus_of(measured);
  return measured.has_gpu() ? measured.machine + " (" + gpus + ")"
                            : measured.machine + " (CPU only)";
}

using Machines = std::vector<const Measured*>;

// One GPU of each model is compared, from a machine with a single one if there
// is such. The others are left out.
Machines of_one_gpu(const std::vector<Measured>& machines, Machines& left_out) {
  std::set<std::string> alone;
  for (const auto& measured : machines) {
    if (gpus_of_last_run(measured) == 1) alone.insert(measured.gpu());
  }
  Machines compared;
  for (const auto& measured : machines) {
    const bool several =
        several_gpus(measured) && alone.count(measured.gpu()) > 0;
    (several ? left_out : compared).push_back(&measured);
  }
  return compared;
}

// Only times of one GPU, or of the CPU.
Entries on_half(const Measured& measured, const std::string& workload,
                bool gpu) {
  return where(on_device(of_workload(all(measured), workload), gpu),
               [](const Entry& entry) { return !of_team(entry); });
}

// The fastest variant of one machine, on its GPU or its CPU, at one size and
// dtype.
struct Contender {
  const Measured* machine;
  const Entry* entry;
};

std::vector<Contender> contenders(const Machines& machines,
                                  const std::string& workload, Dtype dtype,
                                  const Size& size, bool gpu) {
  std::vector<Contender> found;
  for (const auto* measured : machines) {
    const auto* entry = best_peer(
        of_size(of_dtype(on_half(*measured, workload, gpu), dtype), size));
    if (entry != nullptr) found.push_back({measured, entry});
  }
  std::ranges::stable_sort(found, {}, [](const Contender& one) {
    return one.entry->summary.median;
  });
  return found;
}

// The dtype and size that most machines have on their GPU (or CPU); the largest
// of these.
std::optional<std::pair<Dtype, Size>> common_point(const Machines& machines,
                                                   const std::string& workload,
                                                   bool gpu) {
  std::map<std::pair<Dtype, Size>, std::set<std::string>> who;
  std::optional<std::pair<Dtype, Size>> chosen;
  Entries entries;
  for (const auto* measured : machines) {
    for (const auto* entry : on_half(*measured, workload, gpu)) {
      entries.push_back(entry);
      who[{entry->record.dtype, entry->record.size}].insert(measured->folder);
    }
  }
  entries = of_usual_parameters(entries);
  // The main dtype first: most backends have it.
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

// "GPU", "CPU", or one of several GPUs.
std::string half_of(const Measured& measured, const Entry& entry) {
  if (!on_gpu(entry.side)) return "CPU";
  const auto there = gpus_of_last_run(measured);
  return there < 2 ? "GPU" : "one of its " + counted(there, "GPU");
}

// A machine has the same look in all rows.
Look look_of(const Machines& machines, const Measured* one) {
  constexpr Look looks[] = {Look::disc, Look::square, Look::triangle,
                            Look::diamond, Look::ring};
  const auto at = std::ranges::find(machines, one) - machines.begin();
  return looks[static_cast<std::size_t>(at) % std::size(looks)];
}

MarkedRow row_of(const Machines& machines, const std::string& workload,
                 const std::vector<Contender>& found) {
  const auto& [winner, fastest] = found.front();
  MarkedRow row{
      .name = workload,
      .note = point_of(fastest->record),
      .target = page_address(*winner) + "#" + anchor("workload-" + workload),
      .says = {winner->machine + ", " + in_words(time_of(*fastest))}};
  for (const auto& [machine, entry] : found) {
    row.marks.push_back({entry->summary.median / fastest->summary.median,
                         look_of(machines, machine),
                         machine->machine + ", " + setting(entry->record) +
                             ": " + in_words(time_of(*entry))});
  }
  return row;
}

// "a is the fastest in 5 of 7 workloads, b in 2"
std::string who_wins(const std::map<std::string, std::size_t>& wins,
                     std::size_t workloads) {
  std::vector<std::pair<std::string, std::size_t>> order(wins.begin(),
                                                         wins.end());
  std::ranges::stable_sort(order, std::greater{},
                           [](const auto& one) { return one.second; });
  std::string text;
  for (const auto& [machine, count] : order) {
    text += text.empty() ? machine + " is the fastest in " +
                               of_all(count, workloads) + " workloads"
                         : ", " + machine + " in " + std::to_string(count);
  }
  return text;
}

// The fastest of each machine, on its GPU or its CPU.
std::vector<Block> ranks(const Machines& machines, bool gpu) {
  std::set<std::string> workloads;
  for (const auto* measured : machines) {
    for (const auto& name : measured->workloads())
      workloads.insert(name);
  }
  const std::string half = gpu ? "GPUs" : "CPUs";
  auto table = folded_table(
      half + " in numbers",
      {"Machine", "Fastest variant", "Time", "Relative to the fastest"});
  Strip strip{
      .id = "fig-" + anchor(half),
      .title = {},
      .leads = "Each row links to its workload on the page of the fastest.",
      .caption = "The best time of each machine relative to the fastest, " +
                 (gpu ? "on one GPU each." : half + " alone.")};
  std::map<std::string, std::size_t> wins, there;
  std::size_t asked = 0;
  for (const auto& workload : workloads) {
    const auto common = common_point(machines, workload, gpu);
    if (!common) continue;
    ++asked;
    const auto found =
        contenders(machines, workload, common->first, common->second, gpu);
    const auto& fastest = *found.front().entry;
    table.add({Cell(workload, point_of(fastest.record))}).heading = true;
    for (const auto& [machine, entry] : found) {
      ++there[machine->machine];
      Cell behind{"fastest"};
      if (entry != &fastest) {
        const auto speed =
            ratio(fastest.summary.estimate, entry->summary.estimate);
        behind = {as_fast(speed), range_of(speed)};
      }
      const Link link{machine->machine, page_address(*machine) + "#" +
                                            anchor("workload-" + workload)};
      table.add({Cell(link, half_of(*machine, *entry)), setting(entry->record),
                 with_interval(time_of(*entry)), behind});
    }
    if (found.size() < 2) continue;
    ++wins[found.front().machine->machine];
    strip.rows.push_back(row_of(machines, workload, found));
  }
  if (table.rows.empty()) return {};
  std::vector<std::string> missing;
  for (const auto* measured : machines) {
    const auto count = there[measured->machine];
    if (count > 0)
      strip.key.push_back({look_of(machines, measured), measured->machine});
    if (count < asked && (!gpu || measured->has_gpu()))
      missing.push_back(measured->machine + " in " +
                        of_all(asked - count, asked));
  }
  std::vector<Block> blocks{table};
  if (!strip.rows.empty()) {
    logarithmic_axis(strip);
    strip.title = (gpu ? "One GPU of each: " : half + ": ") +
                  who_wins(wins, strip.rows.size()) + ".";
    blocks = {Paragraph{strip.title}, strip, table};
  }
  if (!missing.empty()) {
    blocks.push_back(remark("Not measured at these sizes, on " + half + ": " +
                            join(missing, ", ") + " workloads."));
  }
  return blocks;
}

}  // namespace

// Everything except letters, digits and . _ - becomes %XX.
std::string page_address(const Measured& measured) {
  std::string text;
  for (const char c : measured.folder) {
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

Alternatives first_of_each(const std::vector<const Measured*>& machines) {
  Alternatives choice{.what = "Machine", .sections = {}};
  for (const auto* measured : machines) {
    const auto page = page_address(*measured);
    const auto id = anchor("first-" + measured->folder);
    const auto strip = first_to_fastest(*measured, page, "fig-" + id);
    if (!strip) continue;
    choice.sections.push_back(
        {.id = id,
         .title = measured->machine + ": from the first kernel to the fastest, "
                                      "compared with the limit of the hardware",
         .label = label_of(*measured),
         .blocks = {
             headlines(*measured,
                       judge_claims(measured->records, measured->runs), page),
             *strip, Paragraph{Link{"All of " + measured->machine, page}}}});
  }
  return choice;
}

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
    table.add({Link{measured.machine, page_address(measured)},
               gpus_of(measured), cpu, cell_of(measured.device_ceilings()),
               cell_of(measured.host_ceilings()),
               counted(measured.entries.size(), "point")});
  }
  return {.id = "machines",
          .title = "Machines",
          .label = "Machines",
          .blocks = {table}};
}

Section side_by_side(const std::vector<Measured>& machines) {
  Machines several;
  const auto compared = of_one_gpu(machines, several);
  std::vector<Text> left_out;
  for (const auto* measured : several)
    left_out.push_back(Link{measured->machine, page_address(*measured)});
  Section section{
      .id = "compared",
      .title = "Which machine is the fastest?",
      .label = "Which machine is the fastest?",
      .blocks = {Paragraph{
          "The fastest variant on each machine, without transfers. Single GPUs "
          "are compared with each other, and CPUs with each other, each "
          "workload at the largest size that most of them measured."}}};
  if (!left_out.empty()) {
    section.add(Paragraph{
        "Left out: " + joined(left_out) +
        ", which have several GPUs of a model that is compared here as a "
        "single one. " +
        Link{"What does a second GPU gain?", "#teams"} + " compares those."});
  }
  for (const bool gpu : {true, false})
    section.add(ranks(compared, gpu));
  return section;
}

Section verdicts(const std::vector<Measured>& machines) {
  std::vector<Judged> judged;
  std::vector<Text> counts;
  for (const auto& measured : machines) {
    judged.push_back({measured.machine, page_address(measured),
                      judge_claims(measured.records, measured.runs)});
    const auto& findings = judged.back().findings;
    counts.push_back(how_many(findings, Outcome::holds) + " hold on " +
                     measured.machine);
  }
  std::vector<Text> signs;
  for (const auto outcome : every_value<Outcome>())
    signs.push_back(verdict_sign(outcome) + std::string(to_string(outcome)));
  Section section{.id = "verdicts",
                  .title = "Do the claims of the source reports hold?",
                  .label = "Claims",
                  .blocks = {Paragraph{"Claims and observations: " +
                                       joined(counts) + ". " + joined(signs) +
                                       ". Each links to its rule and its "
                                       "numbers on the page of the machine."}}};
  section.add(claims_grid(judged));
  return section;
}

}  // namespace parlab::page
