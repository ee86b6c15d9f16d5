#include "cli/record_filter.hpp"

#include <algorithm>
#include <limits>

#include "cli/lists.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"

namespace parlab {
namespace {

// The values of one option, each converted; empty if it was not typed.
template <typename F>
auto typed(const Arguments& arguments, const std::string& flag, F convert) {
  std::set<decltype(convert(std::string()))> values;
  const auto* setting = arguments.find(flag);
  if (setting == nullptr || !setting->from_command_line) return values;
  const auto all = setting->values(convert);
  values.insert(all.begin(), all.end());
  return values;
}

auto one_of(const std::vector<std::string>& known) {
  return [known](const std::string& word) {
    if (std::ranges::find(known, word) != known.end()) return word;
    throw UsageError("'" + word + "' is unknown" + did_you_mean(word, known) +
                     " (" + join(known, ", ") + ")");
  };
}

bool all_are(const Size& extents, std::int64_t n) {
  return std::ranges::all_of(extents, [&](auto extent) { return extent == n; });
}

// "4096" or a range means squares, "300x1000" that size, with or without the
// parameters.
bool has_size(const Record& record, const std::string& item) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  const auto parts = split(item, 'x');
  if (parts.size() == 1) {
    const auto values = parse_list("--size", item, 1, largest);
    // A parameter of the problem (a radius) may have any value.
    const Size extents = extents_of(record.workload, record.size);
    return std::ranges::any_of(
        values, [&](auto value) { return all_are(extents, value); });
  }
  const Size size = parse_extents("--size", item, item);
  return size == record.size ||
         size == extents_of(record.workload, record.size);
}

bool is_called(const Record& record, const std::string& name) {
  return name == record.variant || name == record.name() ||
         name == record.full_name();
}

template <typename Set, typename Value>
bool lets(const Set& set, const Value& value) {
  return set.empty() || set.count(value) > 0;
}

}  // namespace

bool RecordFilter::operator()(const Record& record) const {
  const auto any_size = [&] {
    return std::ranges::any_of(
        sizes, [&](const std::string& item) { return has_size(record, item); });
  };
  const auto any_verdict = [&] {
    const bool all = verdicts.empty() && !failures;
    return all || verdicts.count(record.verdict) > 0 ||
           (failures && failed(record));
  };
  const auto any_variant = [&] {
    return std::ranges::any_of(variants, [&](const std::string& name) {
      return is_called(record, name);
    });
  };
  return lets(workloads, record.workload) && lets(backends, record.backend) &&
         lets(dtypes, record.dtype) && any_verdict() &&
         lets(caches, record.cache) && lets(inputs, record.inputs) &&
         (variants.empty() || any_variant()) && (sizes.empty() || any_size());
}

Options filter_options() {
  return run_options({"backend", "variant", "dtype", "cache", "inputs"}) +
         Options{
             {.flag = "workload", .argument = "LIST", .help = "as dmv,matmul"},
             {.flag = "size",
              .argument = "LIST",
              .help = "4K, 300x1000, or a range 1K:16K:*2"}};
}

RecordFilter filter_of(const Arguments& arguments) {
  const auto as_is = [](const std::string& word) { return word; };
  const std::string failures = "failed";
  std::vector<std::string> verdicts{failures};
  for (const auto verdict : every_value<Verdict>())
    verdicts.emplace_back(to_string(verdict));
  RecordFilter filter;
  filter.workloads = typed(arguments, "workload", [](const std::string& word) {
    return std::string(workload_called(word).name());
  });
  filter.backends =
      typed(arguments, "backend", one_of({"serial", "openmp", "blas", "cuda"}));
  filter.variants = typed(arguments, "variant", as_is);
  filter.dtypes = typed(arguments, "dtype", from_string<Dtype>);
  filter.caches = typed(arguments, "cache", from_string<Cache>);
  filter.inputs = typed(arguments, "inputs", from_string<InputKind>);
  for (const auto& word : typed(arguments, "verdict", one_of(verdicts))) {
    if (word == failures) {
      filter.failures = true;
    } else {
      filter.verdicts.insert(from_string<Verdict>(word));
    }
  }
  const auto sizes = typed(arguments, "size", as_is);
  filter.sizes = {sizes.begin(), sizes.end()};
  const Record probe;
  // throws if an item is no size
  for (const auto& item : filter.sizes)
    has_size(probe, item);
  return filter;
}

void require_some(const RecordFilter& filter,
                  const std::vector<Record>& records,
                  const std::string& command) {
  if (std::ranges::any_of(records, filter)) return;
  std::string why;
  for (const auto& name : filter.variants) {
    std::vector<std::string> known;
    for (const auto& record : records)
      known.insert(known.end(), {record.name(), record.variant});
    const bool is_there = std::ranges::any_of(
        records, [&](const Record& record) { return is_called(record, name); });
    if (!is_there)
      why += "; none is of '" + name + "'" + did_you_mean(name, known);
  }
  throw UsageError(command + ": no record is left" + why);
}

}  // namespace parlab
