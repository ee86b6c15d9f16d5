#include "counters/counters.hpp"

#include <algorithm>
#include <filesystem>

#include "counters/ncu.hpp"
#include "places/presence.hpp"
#include "record/store.hpp"
#include "record/variant_of.hpp"

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
  std::filesystem::create_directories(folder);
  return folder + "/" + record.workload + "-" + to_string(record.size) + "-" +
         std::string(to_string(record.dtype)) + "-" +
         std::string(to_string(record.cache)) + ".ncu-rep";
}

void count(const std::vector<Record*>& records, const std::string& reports) {
  const Record& first = *records.front();
  std::vector<std::string> arguments{first.workload, to_string(first.size),
                                     std::string(to_string(first.dtype))};
  for (const auto* record : records) {
    arguments.push_back(record->backend + "/" + record->variant + " " +
                        to_string(record->tunables));
  }
  const auto counters = counters_by_execution(
      profile(arguments, first.cache, where_to_count(first),
              report_of(first, reports)),
      records.size());
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i]->counters = counters[i];
}

void count_point(std::vector<Record>& point, std::size_t done,
                 const std::string& results, Observer& observer,
                 const std::string& reports) {
  std::vector<Record*> records;
  for (auto& record : point) {
    if (wanted(record)) records.push_back(&record);
  }
  if (records.empty()) return;
  observer.working_on("counting " + records.front()->point(),
                      static_cast<double>(done));
  try {
    count(records, reports);
  } catch (const NoCountersHere&) {
    throw;
  } catch (const NoCounters& reason) {
    return observer.note({.cause = Cause::no_counters_of,
                          .arguments = {records.front()->point()},
                          .further = {reason.detail}});
  }
  for (const auto* record : records) {
    if (record->counters.empty()) {
      observer.note({.cause = Cause::no_counters_of,
                     .arguments = {record->identity()},
                     .further = {{.cause = Cause::ncu_saw_no_kernel_of_it}}});
    }
  }
  append_counters(records, results);
}

}  // namespace

void count_each_point(Points& points, const std::string& results,
                      Observer& observer, const std::string& reports) {
  std::size_t done = 0;
  for (auto& point : points) {
    count_point(point, done, results, observer, reports);
    done += point.size();
  }
}

void add_counters(Points& points, const std::string& results,
                  Observer& observer, const std::string& reports) {
  try {
    if (const auto why = why_no_gpu())
      throw NoCountersHere(
          {.further = {*why, {.cause = Cause::needs_gpu_and_ncu}}});
    find_ncu();
    count_each_point(points, results, observer, reports);
  } catch (const NoCountersHere& reason) {
    observer.note(
        {.cause = Cause::no_counters_here, .further = {reason.detail}});
  }
}

}  // namespace parlab
