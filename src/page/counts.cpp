#include "page/counts.hpp"

#include <algorithm>

#include "core/file.hpp"
#include "core/text.hpp"
#include "page/words.hpp"
#include "record/store.hpp"

namespace parlab::page {
namespace {

namespace fs = std::filesystem;

struct Asked {
  const char *counter, *requests;  // nullptr: the requests say nothing
  std::string what;
};

double count_of(const Record& record, const char* counter) {
  const auto found = record.counters.find(counter);
  return found == record.counters.end() ? 0 : found->second;
}

}  // namespace

std::vector<Record> load_counts(const fs::path& results) {
  const auto file = results / "counts.jsonl";
  if (!is_there(file) && !is_there(file.string() + ".zst")) return {};
  auto records = latest(load_records(file).records);
  std::erase_if(records, [](const Record& record) {
    const auto* const variant = variant_of(record);
    return variant == nullptr || variant->source_hash != record.source_hash ||
           record.counters.empty();
  });
  return records;
}

const Record* counts_of(const std::vector<Record>& counted,
                        const Record& record) {
  const auto found = std::ranges::find_if(counted, [&](const Record& one) {
    return one.workload == record.workload && one.backend == record.backend &&
           one.variant == record.variant && one.dtype == record.dtype;
  });
  return found == counted.end() ? nullptr : &*found;
}

Text counts_in_words(const Record& counts) {
  const Asked all[] = {
      {"global_load_sectors", "global_load_requests", " sectors loaded"},
      {"global_store_sectors", "global_store_requests", " sectors stored"},
      {"shared_load_wavefronts", "shared_load_requests",
       " passes of loads from shared memory"},
      {"shared_store_wavefronts", "shared_store_requests",
       " passes of stores to it"},
      {"global_atomic_requests", nullptr, " atomics of warps"}};
  double most = 0;
  for (const auto& one : all)
    most = std::max(most, count_of(counts, one.counter));
  constexpr double little = 0.1;
  std::vector<Text> parts;
  for (const auto& [counter, requests, what] : all) {
    const double count = count_of(counts, counter);
    if (count <= 0 || count < little * most) continue;
    parts.push_back(Text(Quantity{count}) + what);
    if (requests != nullptr) {
      parts.back() += ", " +
                      significant(count / count_of(counts, requests), 3, 1) +
                      " a request";
    }
  }
  return joined(parts, "; ");
}

}  // namespace parlab::page
