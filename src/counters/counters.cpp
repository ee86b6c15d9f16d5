#include "counters/counters.hpp"

#include <algorithm>
#include <ranges>

#include "core/file.hpp"
#include "counters/emulated.hpp"
#include "counters/ncu.hpp"
#include "counters/ncu_lines.hpp"
#include "places/presence.hpp"
#include "record/record.hpp"
#include "record/store.hpp"

namespace parlab {
// The last record of an identity counts. Each stays a record of the run that
// measured it, which the file already holds.
void append_counters(const std::vector<Record*>& records,
                     const std::string& results) {
  if (results.empty()) return;
  const auto runs = load_records(results).runs;
  for (const auto& [id, run] : runs) {
    const auto of_run = [&, number = id](const Record* record) {
      return record->run == number && !record->counters.empty();
    };
    if (std::ranges::none_of(records, of_run)) continue;
    Store store(results, run);
    for (const auto* record : records) {
      if (of_run(record)) store.append(*record);
    }
  }
}

namespace {

bool wanted(const Record& record) {
  const auto* const variant = variant_of(record);
  return record.verdict == Verdict::passed && !record.emulated &&
         record.inputs == InputKind::uniform && record.counters.empty() &&
         variant != nullptr && variant->target == Target::gpu;
}

// The UUID of the record's GPU, for CUDA. Empty, which means any GPU, if that
// one has been replaced in this host by another of its model, as resuming
// assumes.
std::string where_to_count(const Record& record) {
  for (const auto& gpu : gpus_present()) {
    if (gpu.uuid == record.gpu) return gpu.uuid;
  }
  return "";
}

// "dmv-1024x1024-float-hot.ncu-rep"; "" if no report is wanted
std::string report_of(const Record& record, const std::string& folder) {
  if (folder.empty()) return "";
  make_folder(folder);
  return folder + "/" + record.workload + "-" + to_string(record.size) + "-" +
         std::string(to_string(record.dtype)) + "-" +
         std::string(to_string(record.cache)) + ".ncu-rep";
}

// Gives the records their counters; returns the lines of each.
std::vector<std::vector<CountedLine>> count(const std::vector<Record*>& records,
                                            const std::string& reports) {
  const Record& first = *records.front();
  std::vector<std::string> arguments{first.workload, to_string(first.size),
                                     std::string(to_string(first.dtype))};
  for (const auto* record : records) {
    arguments.push_back(record->backend + "/" + record->variant + " " +
                        to_string(record->tunables));
  }
  const auto profiled = profile(arguments, first.cache, where_to_count(first),
                                report_of(first, reports));
  const auto counters = counters_by_execution(profiled.kernels, records.size());
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i]->counters = counters[i];
  auto lines = lines_by_execution(profiled.source_page, records.size());
  // ncu names files by their whole paths
  const auto base = base_folder().string() + "/";
  for (auto& line : lines | std::views::join) {
    if (line.file.starts_with(base)) line.file.erase(0, base.size());
  }
  return lines;
}

// Returns the lines of the records that were counted.
std::vector<std::pair<const Record*, Counted>> count_point(
    std::vector<Record>& point, std::size_t done, const std::string& results,
    Observer& observer, const std::string& reports) {
  std::vector<Record*> records;
  for (auto& record : point) {
    if (wanted(record)) records.push_back(&record);
  }
  std::vector<std::pair<const Record*, Counted>> counted;
  if (records.empty()) return counted;
  observer.working_on("counting " + records.front()->point(),
                      static_cast<double>(done));
  try {
    auto lines = count(records, reports);
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!lines[i].empty())
        counted.push_back({records[i], {.lines = std::move(lines[i])}});
    }
  } catch (const NoCountersHere&) {
    throw;
  } catch (const NoCounters& reason) {
    observer.note({.cause = Cause::no_counters_of,
                   .arguments = {records.front()->point()},
                   .further = {reason.detail}});
    return counted;
  }
  for (const auto* record : records) {
    if (record->counters.empty()) {
      observer.note({.cause = Cause::no_counters_of,
                     .arguments = {record->identity()},
                     .further = {{.cause = Cause::ncu_saw_no_kernel_of_it}}});
    }
  }
  append_counters(records, results);
  return counted;
}

}  // namespace

Document count_each_point(Points& points, const std::string& results,
                          Observer& observer, const std::string& reports) {
  Document document;
  std::size_t done = 0;
  for (auto& point : points) {
    for (const auto& [record, counted] :
         count_point(point, done, results, observer, reports)) {
      if (is_largest(*record, points))
        document.blocks.push_back(section_of(*record, counted));
    }
    done += point.size();
  }
  return document;
}

Document add_counters(Points& points, const std::string& results,
                      Observer& observer, const std::string& reports) {
  try {
    if (const auto why = why_no_gpu())
      throw NoCountersHere(
          {.further = {*why, {.cause = Cause::needs_gpu_and_ncu}}});
    find_ncu();
    return count_each_point(points, results, observer, reports);
  } catch (const NoCountersHere& reason) {
    observer.note(
        {.cause = Cause::no_counters_here, .further = {reason.detail}});
  }
  return {};
}

}  // namespace parlab
