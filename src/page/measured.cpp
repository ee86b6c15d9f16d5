#include "page/measured.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "audit/audit.hpp"
#include "cluster/spread.hpp"
#include "page/counts.hpp"
#include "record/published.hpp"
#include "record/speedup.hpp"
#include "record/store.hpp"

namespace parlab::page {
namespace {

namespace fs = std::filesystem;

// Orders by bytes to move, then by operations.
std::tuple<double, double, Size> extent(const Record& record) {
  return {record.bytes, record.flops, record.size};
}

std::optional<Ceilings> best_ceilings(const std::vector<Run>& runs,
                                      Ceilings Run::*of) {
  std::optional<Ceilings> best;
  for (const auto& run : runs) {
    if ((run.*of).read.empty()) continue;
    best = best ? best_of(*best, run.*of) : run.*of;
  }
  return best;
}

}  // namespace

bool on_gpu(Side side) {
  return side == Side::cuda || side == Side::gpu_library;
}

bool of_library(Side side) {
  return side == Side::cpu_library || side == Side::gpu_library;
}

Side side_of(const Record& record) {
  if (record.backend == "serial") return Side::serial;
  if (record.backend == "openmp") return Side::openmp;
  if (record.backend == "cuda") return Side::cuda;
  return record.for_gpu() ? Side::gpu_library : Side::cpu_library;
}

bool Measured::has_gpu() const {
  return !gpu().empty();
}

std::string Measured::gpu() const {
  const auto found =
      std::find_if(runs.rbegin(), runs.rend(),
                   [](const Run& run) { return !run.gpu.empty(); });
  return found == runs.rend() ? "" : found->gpu;
}

std::string limit_of(const Measured& measured, const Record& record) {
  const auto run = std::ranges::find(measured.runs, record.run, &Run::id);
  if (run == measured.runs.end()) return "";
  return parlab::limit_of(record.on_gpu() ? run->device : run->host, record);
}

std::optional<Ceilings> Measured::device_ceilings() const {
  return best_ceilings(runs, &Run::device);
}

std::optional<Ceilings> Measured::host_ceilings() const {
  return best_ceilings(runs, &Run::host);
}

std::vector<std::string> Measured::workloads() const {
  std::set<std::string> names;
  for (const auto& entry : entries)
    names.insert(entry.record.workload);
  for (const auto& record : failed)
    names.insert(record.workload);
  return {names.begin(), names.end()};
}

Measured load_machine(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw UsageError(folder.string() +
                     " is no folder of records: results/MACHINE is one");
  }
  std::vector<std::string> warnings;
  const auto files = record_files(folder, Depth::folder, warnings);
  std::map<std::string, Run> runs;
  std::vector<Record> records;
  std::vector<Experiment> experiments;
  std::vector<Record> control;
  for (const auto& file : files) {
    auto loaded = load_records(file);
    if (file.stem() == control_records) {
      control = std::move(loaded.records);
      loaded.records.clear();
    }
    std::set<std::string> workloads;
    for (auto& record : loaded.records) {
      workloads.insert(record.workload);
      records.push_back(std::move(record));
    }
    if (file.stem() != control_records)
      experiments.push_back(
          {file.stem().string(), {workloads.begin(), workloads.end()}});
    runs.merge(loaded.runs);
    std::ranges::move(loaded.warnings, std::back_inserter(warnings));
  }
  oldest_first(records, runs);
  const auto rejected = leave_out_rejected(records, runs);
  std::vector<Run> in_order;
  for (auto& [id, run] : runs)
    in_order.push_back(std::move(run));
  auto measured = arrange(std::move(in_order), std::move(records));
  measured.rejected = rejected;
  measured.folder =
      fs::absolute(folder / ".").parent_path().filename().string();
  if (measured.machine.empty()) measured.machine = measured.folder;
  measured.experiments = std::move(experiments);
  measured.control = std::move(control);
  measured.counted = load_counts(published_folder().parent_path());
  measured.warnings.insert(measured.warnings.begin(), warnings.begin(),
                           warnings.end());
  return measured;
}

Measured arrange(std::vector<Run> runs, std::vector<Record> records) {
  Measured measured;
  std::ranges::stable_sort(runs, {}, &Run::date);
  measured.runs = std::move(runs);
  if (!measured.runs.empty()) measured.machine = measured.runs.back().machine;
  for (const auto& run : measured.runs) {
    if (run.machine == measured.machine) continue;
    measured.warnings.push_back("records of " + run.machine +
                                " among those of " + measured.machine +
                                ": left out");
    break;
  }
  std::erase_if(records, [&](const Record& r) {
    return !r.machine.empty() && r.machine != measured.machine;
  });
  std::erase_if(measured.runs, [&](const Run& run) {
    return run.machine != measured.machine;
  });
  for (auto& record : latest(records)) {
    if (record.emulated || record.cache != Cache::hot ||
        record.inputs != InputKind::uniform)
      continue;
    if (record.timed()) {
      const auto summary = record.summary();
      const auto side = side_of(record);
      auto& entries = record.from_host ? measured.from_host : measured.entries;
      entries.push_back({std::move(record), summary, side});
    } else if (record.verdict != Verdict::passed) {
      measured.failed.push_back(std::move(record));
    }
  }
  measured.records = std::move(records);
  return measured;
}

Entries all(const Measured& measured) {
  Entries entries;
  for (const auto& entry : measured.entries)
    entries.push_back(&entry);
  return entries;
}

Entries of_workload(const Entries& entries, const std::string& workload) {
  return where(entries,
               [&](const Entry& e) { return e.record.workload == workload; });
}

Entries of_dtype(const Entries& entries, Dtype dtype) {
  return where(entries,
               [&](const Entry& e) { return e.record.dtype == dtype; });
}

Entries of_side(const Entries& entries, Side side) {
  return where(entries, [&](const Entry& e) { return e.side == side; });
}

Entries of_size(const Entries& entries, const Size& size) {
  return where(entries, [&](const Entry& e) { return e.record.size == size; });
}

Entries on_device(const Entries& entries, bool gpu) {
  return where(entries, [&](const Entry& e) { return on_gpu(e.side) == gpu; });
}

Entries without_libraries(const Entries& entries) {
  return where(entries, [](const Entry& e) { return !of_library(e.side); });
}

std::vector<Dtype> dtypes(const Entries& entries) {
  std::set<Dtype> found;
  for (const auto* entry : entries)
    found.insert(entry->record.dtype);
  return {found.begin(), found.end()};
}

std::vector<Side> sides(const Entries& entries) {
  std::set<Side> found;
  for (const auto* entry : entries)
    found.insert(entry->side);
  return {found.begin(), found.end()};
}

std::vector<Size> sizes(const Entries& entries) {
  std::set<std::tuple<double, double, Size>> found;
  for (const auto* entry : entries)
    found.insert(extent(entry->record));
  std::vector<Size> ascending;
  for (const auto& [bytes, flops, size] : found) {
    if (ascending.empty() || ascending.back() != size)
      ascending.push_back(size);
  }
  return ascending;
}

Dtype main_dtype(const Entries& entries) {
  std::optional<Dtype> chosen;
  std::pair<std::size_t, std::size_t> most;
  for (const auto dtype : dtypes(entries)) {
    const auto some = of_dtype(entries, dtype);
    const std::pair now{sides(some).size(), some.size()};
    if (!chosen || now > most) {
      chosen = dtype;
      most = now;
    }
  }
  return chosen.value_or(Dtype::f32);
}

std::optional<Size> ladder_size(const Entries& entries) {
  // A rung that exists only at small sizes does not decide the size shown.
  constexpr double nearly_all = 0.8;
  const auto usual = of_usual_parameters(entries);
  std::map<Size, std::set<std::string>> found;
  std::size_t most = 0;
  for (const auto* entry : usual) {
    auto& names = found[entry->record.size];
    names.insert(entry->record.full_name());
    most = std::max(most, names.size());
  }
  std::optional<Size> chosen;
  for (const auto& size : sizes(usual)) {
    if (static_cast<double>(found[size].size()) >=
        nearly_all * static_cast<double>(most))
      chosen = size;
  }
  return chosen;
}

Entries of_usual_parameters(const Entries& entries) {
  const auto usual = where(entries, [](const Entry& entry) {
    return usual_parameters(entry.record);
  });
  return usual.empty() ? entries : usual;
}

bool usual_parameters(const Record& record) {
  const auto* workload = Registry::instance().workload(record.workload);
  if (workload == nullptr) return true;
  const auto parameters = workload->parameters();
  if (record.size.size() != workload->dimensions().size()) return true;
  const auto first =
      record.size.begin() + std::ssize(record.size) - std::ssize(parameters);
  return std::equal(parameters.begin(), parameters.end(), first,
                    record.size.end(),
                    [](const Tunable& parameter, std::int64_t value) {
                      return parameter.fallback == value;
                    });
}

const Entry* best(const Entries& entries) {
  const auto found = std::ranges::min_element(
      entries, {}, [](const Entry* one) { return one->summary.median; });
  return found == entries.end() ? nullptr : *found;
}

Entries peers(const Entries& entries) {
  return where(entries,
               [](const Entry& e) { return !reduced_arithmetic(e.record); });
}

const Entry* best_peer(const Entries& entries) {
  return best(peers(entries));
}

bool reduced_arithmetic(const Record& record) {
  return record.arithmetic != Arithmetic::ieee;
}

std::int64_t gpus_at_work(const Entry& entry) {
  return entry.record.tunables.value_or("gpus", 1);
}

bool of_team(const Entry& entry) {
  return gpus_at_work(entry) > 1;
}

Entries ladder(const Entries& entries) {
  // Variants that this build lacks come last on their side, by name; before
  // them come those for several GPUs, which are numbered separately.
  constexpr int of_teams = 1 << 19, unknown = 1 << 20;
  std::map<std::tuple<Side, int, std::string>, const Entry*> rungs;
  std::map<std::string, int> rung_of;
  for (const auto* entry : entries) {
    const auto name = entry->record.full_name();
    if (rung_of.count(name) == 0) {
      const auto* variant = variant_of(entry->record);
      rung_of[name] =
          variant == nullptr
              ? unknown
              : variant->rung +
                    (variant->target == Target::team ? of_teams : 0);
    }
    auto& kept = rungs[{entry->side, rung_of[name], name}];
    if (kept == nullptr || entry->summary.median < kept->summary.median)
      kept = entry;
  }
  Entries in_order;
  for (const auto& [place, entry] : rungs)
    in_order.push_back(entry);
  return in_order;
}

std::optional<double> seconds_with_transfers(const Entry& entry, Way way) {
  if (!on_gpu(entry.side)) return entry.summary.median;
  if (entry.record.from_host != (way == Way::overlapped)) return std::nullopt;
  if (way == Way::overlapped) return entry.summary.median;
  const bool pinned = way == Way::pinned;
  const auto there =
      pinned ? entry.record.to_device_pinned_s : entry.record.to_device_s;
  const auto back =
      pinned ? entry.record.to_host_pinned_s : entry.record.to_host_s;
  if (!there && !back) return std::nullopt;
  return entry.summary.median + there.value_or(0) + back.value_or(0);
}

}  // namespace parlab::page
