#include "claims/rule.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/variant.hpp"
#include "record/published.hpp"
#include "record/speedup.hpp"
#include "record/store.hpp"

namespace parlab {
namespace {

// Whether all extents are equal; the parameters that follow them (a radius) may
// have any value.
bool square(const Record& record) {
  return std::ranges::all_of(
      extents_of(record.workload, record.size),
      [&](auto extent) { return extent == record.size.front(); });
}

double median_of(const Record* record) {
  return record->summary().median;
}

constexpr std::size_t most_listed = 7;
const std::string more_samples =
    "more samples: a longer --time-limit, or several runs";

struct Announced {
  int section;
  Claim claim;

  bool observed() const { return claim.id.find("-obs") != std::string::npos; }
  // 13 for "P-obs13".
  int number() const {
    return std::stoi(
        claim.id.substr(claim.id.find_last_not_of("0123456789") + 1));
  }
  auto place() const { return std::tuple(observed(), section, number()); }
};

// The objects of the experiments fill it before main().
std::vector<Announced>& announced() {
  static std::vector<Announced> claims;
  return claims;
}

}  // namespace

Selection Selection::variant(const std::string& name) const {
  return where([&](const Record& r) { return r.name() == name; });
}

Selection Selection::backend(const std::string& name) const {
  return where([&](const Record& r) { return r.backend == name; });
}

Selection Selection::size(const Size& size) const {
  return where([&](const Record& r) { return r.size == size; });
}

Selection Selection::with(const TunableValues& wanted) const {
  return where([&](const Record& r) {
    return std::ranges::all_of(wanted, [&](const auto& tunable) {
      const auto found = r.tunables.find(tunable.first);
      return found != r.tunables.end() && found->second == tunable.second;
    });
  });
}

Selection Selection::with(const std::string& tunable,
                          std::int64_t value) const {
  return with(TunableValues{{tunable, value}});
}

Selection Selection::counted() const {
  return where([](const Record& r) { return !r.counters.empty(); });
}

const Record* Selection::best() const {
  const auto found = std::ranges::min_element(records_, {}, median_of);
  return found == end() ? nullptr : *found;
}

const Record* Selection::worst() const {
  const auto found = std::ranges::max_element(records_, {}, median_of);
  return found == end() ? nullptr : *found;
}

std::vector<Size> Selection::sizes() const {
  std::set<Size> sizes;
  for (const auto* record : records_)
    sizes.insert(record->size);
  return {sizes.begin(), sizes.end()};
}

std::vector<std::int64_t> Selection::values(const std::string& tunable) const {
  std::set<std::int64_t> values;
  for (const auto* record : records_) {
    const auto found = record->tunables.find(tunable);
    if (found != record->tunables.end()) values.insert(found->second);
  }
  return {values.begin(), values.end()};
}

Evidence::Evidence(std::vector<Record> records, const std::vector<Run>& runs)
    : records_(latest(std::move(records))) {
  std::erase_if(records_, [](const Record& record) {
    return record.emulated || record.verdict == Verdict::unverified;
  });
  // By size, so that numbers are listed in that order.
  std::ranges::stable_sort(records_, {}, [](const Record& record) {
    return std::tie(record.size, record.tunables);
  });
  for (const auto& run : runs) {
    has_gpu_ |= !run.gpu.empty();
    if (!run.device.read.empty())
      device_bandwidth_ = run.device.read.back().second;
  }
}

Selection Evidence::tried(const std::string& workload, Dtype dtype) const {
  std::vector<const Record*> found;
  for (const auto& record : records_) {
    if (record.workload == workload && record.dtype == dtype &&
        record.cache == Cache::hot && record.inputs == InputKind::uniform &&
        !record.from_host && square(record)) {
      found.push_back(&record);
    }
  }
  return Selection(std::move(found));
}

Selection Evidence::timed(const std::string& workload, Dtype dtype) const {
  return tried(workload, dtype).where([](const Record& record) {
    return record.timed();
  });
}

Claims::Claims(int section, const std::vector<Claim>& claims) {
  for (const auto& claim : claims)
    announced().push_back({section, claim});
}

std::vector<Claim> all_claims() {
  auto claims = announced();
  std::ranges::stable_sort(claims, {},
                           [](const Announced& one) { return one.place(); });
  std::vector<Claim> sorted;
  for (const auto& [section, claim] : claims)
    sorted.push_back(claim);
  return sorted;
}

Ratio gain(const Record& record, const Record& over) {
  const auto same_point = speedup(record, over);
  if (same_point) return *same_point;
  return ratio(over.summary().estimate, record.summary().estimate);
}

std::vector<Compared> best_over_best(const Selection& ours,
                                     const Selection& theirs) {
  std::vector<Compared> compared;
  for (const auto& size : ours.sizes()) {
    const auto *a = ours.size(size).best(), *b = theirs.size(size).best();
    if (b != nullptr) compared.push_back({size, gain(*a, *b)});
  }
  return compared;
}

bool faster(const Ratio& ratio, double factor) {
  return above(ratio, factor);
}
bool slower(const Ratio& ratio, double factor) {
  return below(ratio, 1 / factor);
}

std::optional<bool> as_fast(const Ratio& ratio, double margin) {
  return both(no_faster(ratio, margin), no_slower(ratio, margin));
}

std::optional<bool> no_faster(const Ratio& ratio, double margin) {
  if (at_most_within(ratio, margin)) return true;
  if (above(ratio, 1 + margin)) return false;
  return std::nullopt;
}

std::optional<bool> no_slower(const Ratio& ratio, double margin) {
  return no_faster(
      {1 / ratio.value, {1 / ratio.interval.high, 1 / ratio.interval.low}},
      margin);
}

std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
  if (a == false || b == false) return false;
  return a && b ? std::optional(true) : std::nullopt;
}

Text times(double factor) {
  return Quantity{factor, Unit::factor};
}

Text in_percent(double fraction) {
  return Quantity{fraction, Unit::fraction};
}

Text number(double value) {
  return Quantity{value};
}

Text time_of(const Record& record) {
  return Quantity{record.summary().median, Unit::second};
}

Text in_words(const Ratio& ratio) {
  const char* more = !decided(ratio) ? " (too few samples)"
                     : tied(ratio)   ? " (tie)"
                                     : "";
  return times(ratio.value) + more;
}

Text with_interval(const Ratio& ratio) {
  if (!decided(ratio)) return in_words(ratio);
  const Quantity quantity{ratio.value, Unit::factor, ratio.interval};
  return quantity + Text(" (") + Range{quantity} + ")";
}

std::string place(const Size& size) {
  const bool square = size.size() > 1 && size[0] == size[1];
  return square ? std::to_string(size[0]) : to_string(size);
}

std::string setting(const Record& record) {
  const auto tunables = to_string(record.tunables);
  return place(record.size) + (tunables.empty() ? "" : ", " + tunables);
}

std::string name(const Record& record) {
  const auto tunables = to_string(record.tunables);
  return record.name() + (tunables.empty() ? "" : " " + tunables);
}

std::optional<double> counter(const Record& record, const std::string& name) {
  const auto found = record.counters.find(name);
  if (found == record.counters.end()) return std::nullopt;
  return found->second;
}

Selection in_range_of(const std::string& table, const Selection& all) {
  const auto& rows = published(table);
  const auto [least, most] = std::ranges::minmax_element(
      rows, {}, [](const PublishedRow& one) { return one.number("rows"); });
  return all.where([low = least->number("rows"),
                    high = most->number("rows")](const Record& r) {
    const auto n = static_cast<double>(r.size[0]);
    return n >= low && n <= high;
  });
}

Judgement judged(std::optional<bool> holds, Text numbers) {
  if (!holds)
    return {Outcome::cannot_be_tested, std::move(numbers), more_samples};
  return {
      *holds ? Outcome::holds : Outcome::does_not_hold, std::move(numbers), {}};
}

Judgement by_construction(bool holds, Text numbers) {
  return by_construction(judged(holds, std::move(numbers)));
}

Judgement by_construction(Judgement judgement) {
  judgement.computed = true;
  return judgement;
}

Judgement needs_else(std::string what) {
  return {Outcome::cannot_be_tested, {}, std::move(what)};
}

Judgement needs(const Evidence& evidence, const std::string& experiment,
                bool gpu) {
  const bool elsewhere = gpu && !evidence.has_gpu();
  return needs_else("make " + experiment +
                    (elsewhere ? " on a machine with a GPU" : ""));
}

Judgement needs_counters(const Evidence& evidence,
                         const std::string& experiment) {
  return needs_else("make " + experiment + " and make counters" +
                    (evidence.has_gpu() ? "" : " on a machine with a GPU"));
}

void Tally::add(std::optional<bool> held, double value, Text text) {
  entries_.push_back(
      {held.value_or(false), value, std::move(text), held.has_value()});
}

void Tally::add(std::optional<bool> held, const Ratio& ratio,
                const Text& where) {
  if (!decided(ratio)) held = std::nullopt;
  add(held, ratio.value, in_words(ratio) + " at " + where);
}

int Tally::held() const {
  return static_cast<int>(std::ranges::count_if(entries_, &Entry::held));
}

int Tally::count() const {
  return static_cast<int>(std::ranges::count_if(entries_, &Entry::decided));
}

int Tally::undecided() const {
  return static_cast<int>(entries_.size()) - count();
}

Judgement Tally::judgement(const Text& what, const Judgement& if_empty) const {
  if (entries_.empty()) return if_empty;
  const Text start = what + (what.empty() ? "" : " ");
  std::vector<Entry> known = entries_;
  std::erase_if(known, [](const Entry& entry) { return !entry.decided; });
  auto text = start, brief = start;
  if (known.size() > 2) {
    const auto [least, most] =
        std::ranges::minmax_element(known, {}, &Entry::value);
    brief += least->value < most->value
                 ? "from " + least->text + " to " + most->text
                 : least->text;
  }
  if (known.size() > most_listed) {
    text = brief;
  } else {
    const auto& listed = entries_.size() > most_listed ? known : entries_;
    for (const auto& entry : listed)
      text += Text(&entry == &listed[0] ? "" : ", ") + entry.text +
              (entry.decided ? "" : " (undecided)");
  }
  if (count() == 0) return {Outcome::cannot_be_tested, text, more_samples};
  if (known.size() <= 2) brief = text;
  if (entries_.size() > 1) {
    const int open = undecided();
    const Text tally =
        " (" + std::to_string(held()) + " of " + std::to_string(count()) +
        (open > 0 ? ", " + std::to_string(open) + " undecided" : "") + ")";
    text += tally;
    brief += tally;
  }
  const auto outcome = held() == count() ? Outcome::holds
                       : held() == 0     ? Outcome::does_not_hold
                                         : Outcome::holds_in_part;
  return {.outcome = outcome, .numbers = text, .missing = {}, .brief = brief};
}

Tally at_least(const std::vector<Compared>& compared, double factor) {
  Tally tally;
  for (const auto& [size, ratio] : compared)
    tally.add(faster(ratio, factor), ratio, place(size));
  return tally;
}

bool within(const Ratio& ratio, double least, double most) {
  return faster(ratio, least) && below(ratio, most);
}

Tally within(const std::vector<Compared>& compared, double least, double most) {
  Tally tally;
  for (const auto& [size, ratio] : compared)
    tally.add(within(ratio, least, most), ratio, place(size));
  return tally;
}

Judgement together(const std::vector<Judgement>& parts) {
  bool all = true, none = true, tested = false, untested = false;
  Judgement whole;
  bool measured = false;
  for (const auto& part : parts) {
    if (part.outcome == Outcome::cannot_be_tested) {
      untested = true;
    } else {
      const bool holds = part.outcome == Outcome::holds ||
                         part.outcome == Outcome::holds_where_tested;
      tested = true;
      measured |= !part.computed;
      untested |= part.outcome == Outcome::holds_where_tested;
      all &= holds;
      none &= part.outcome == Outcome::does_not_hold;
    }
    if (!part.numbers.empty()) {
      const Text between = whole.numbers.empty() ? "" : "; ";
      whole.numbers += between + part.numbers;
      whole.brief += between + (part.brief.empty() ? part.numbers : part.brief);
    }
    if (!part.missing.empty() &&
        whole.missing.find(part.missing) == std::string::npos) {
      whole.missing += (whole.missing.empty() ? "" : "; ") + part.missing;
    }
  }
  whole.computed = tested && !measured;
  if (tested) {
    const auto held = untested ? Outcome::holds_where_tested : Outcome::holds;
    whole.outcome = all    ? held
                    : none ? Outcome::does_not_hold
                           : Outcome::holds_in_part;
  }
  return whole;
}

Judgement supported(const Judgement& main,
                    const std::vector<Judgement>& others) {
  std::vector<Judgement> parts{main};
  for (const auto& other : others) {
    if (other.outcome != Outcome::cannot_be_tested) parts.push_back(other);
  }
  return together(parts);
}

}  // namespace parlab
