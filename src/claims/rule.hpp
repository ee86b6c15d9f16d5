// The tools for judging claims: a table of small functions, and how their
// answers are combined.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "claims/claim.hpp"
#include "record/record.hpp"
#include "statistics/statistics.hpp"

namespace parlab {

// Some of the records, narrowed step by step:
// dmv.variant("cuda/naive").with("block", 16). Points into the
// Evidence it came from.
class Selection {
 public:
  Selection() = default;
  explicit Selection(std::vector<const Record*> records)
      : records_(std::move(records)) {}

  template <typename Predicate>
  Selection where(Predicate keep) const {
    Selection some;
    for (const auto* record : records_) {
      if (keep(*record)) some.records_.push_back(record);
    }
    return some;
  }
  Selection variant(const std::string& name) const;  // "cuda/naive"
  Selection backend(const std::string& name) const;
  Selection size(const Size& size) const;
  // The records with these tunables at these values, whatever the others are.
  Selection with(const TunableValues& wanted) const;
  Selection with(const std::string& tunable, std::int64_t value) const;
  Selection counted() const;  // those with hardware counters

  // The record with the lowest or highest median; the first of equal ones.
  // nullptr if there is none.
  const Record* best() const;
  const Record* worst() const;
  std::vector<Size> sizes() const;  // ascending, without duplicates
  // ascending, without duplicates
  std::vector<std::int64_t> values(const std::string& tunable) const;

  bool empty() const { return records_.empty(); }
  auto begin() const { return records_.begin(); }
  auto end() const { return records_.end(); }

 private:
  std::vector<const Record*> records_;
};

// The latest records of one machine, without the emulated
// and the unverified ones.
class Evidence {
 public:
  Evidence(std::vector<Record> records, const std::vector<Run>& runs);
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;

  // Passed and timed, for square problems, with hot caches.
  Selection timed(const std::string& workload, Dtype dtype) const;
  // Also includes those that failed; their verdict tells how.
  Selection tried(const std::string& workload, Dtype dtype) const;
  bool has_gpu() const { return has_gpu_; }
  // Bytes per second at the largest footprint, where no cache helps; nothing if
  // it was not measured.
  std::optional<double> device_bandwidth() const { return device_bandwidth_; }

 private:
  std::vector<Record> records_;
  bool has_gpu_ = false;
  std::optional<double> device_bandwidth_;
};

// Registers the claims of an experiment's report and the digest's observations
// on them, once, in scripts/NAME/claims.cpp. section: the report's section in
// results/published/DIGEST.md.
class Claims {
 public:
  Claims(int section, const std::vector<Claim>& claims);
};
// The claims of all experiments in the order of the digest: the claims by
// section and number, followed by the observations in the same order.
std::vector<Claim> all_claims();

// ---- comparing --------------------------------------------------------------

// How many times as fast as the other: the speedup if both are of the same
// point, else the ratio of their medians. Its interval is [0, infinity) if
// there are too few samples.
Ratio gain(const Record& record, const Record& over);
struct Compared {
  Size size;
  Ratio ratio;
};
// The best of `ours` over the best of `theirs` at every size that both have.
std::vector<Compared> best_over_best(const Selection& ours,
                                     const Selection& theirs);
// Whether the interval lies above the factor, or below 1 / factor.
bool faster(const Ratio& ratio, double factor = 1);
bool slower(const Ratio& ratio, double factor = 1);
// Equality must be shown. Yes if the whole interval lies between 1 / (1 +
// margin) and 1 + margin, or for a one-sided question on the right side of one
// of them. No if it lies outside. Otherwise the samples leave it open.
std::optional<bool> as_fast(const Ratio& ratio, double margin);
std::optional<bool> no_faster(const Ratio& ratio, double margin);
std::optional<bool> no_slower(const Ratio& ratio, double margin);
std::optional<bool> both(std::optional<bool> a, std::optional<bool> b);
constexpr double margin_of_no_difference = 0.02;
// "1.48x", "1.01x (tie)", "1.60x (too few samples)"
Text in_words(const Ratio& ratio);
// "241x (236-247x)", for numbers that are compared with each other
Text with_interval(const Ratio& ratio);
Text times(double factor);         // "1.48x"
Text in_percent(double fraction);  // "95%"
Text number(double value);
Text time_of(const Record& record);   // "12.30 us"
std::string place(const Size& size);  // "4096" when square, else "300x1000"
std::string setting(const Record& record);  // "4096, block=16"
std::string name(const Record& record);     // "cuda/naive block=16"
std::optional<double> counter(const Record& record, const std::string& name);
// Problems with row numbers from the smallest to the largest of a published
// table, which has a column "rows".
Selection in_range_of(const std::string& table, const Selection& all);

// ---- judging ----------------------------------------------------------------

Judgement judged(std::optional<bool> holds, Text numbers);
// The same for claims without measurements.
Judgement by_construction(bool holds, Text numbers);
Judgement by_construction(Judgement judgement);
// The experiment's records do not suffice; says how to make them. On a machine
// without a GPU, those of the GPU cannot be made.
Judgement needs(const Evidence& evidence, const std::string& experiment,
                bool gpu = true);
Judgement needs_counters(const Evidence& evidence,
                         const std::string& experiment);
// Only another machine could test it.
Judgement needs_else(std::string what);

// Where a rule held: everywhere, nowhere, or at some places.
class Tally {
 public:
  // text: the number and its place, "1.48x at 1024". value: selects the
  // smallest and largest if there are too many to list. Undecided results are
  // listed but do not count; a ratio of too few samples is undecided.
  void add(std::optional<bool> held, double value, Text text);
  void add(std::optional<bool> held, const Ratio& ratio, const Text& where);
  bool empty() const { return entries_.empty(); }
  int held() const;
  int count() const;  // without the undecided ones
  int undecided() const;
  // what: text before the numbers. if_empty: the judgement if there was no
  // place at all.
  Judgement judgement(const Text& what, const Judgement& if_empty) const;

 private:
  struct Entry {
    bool held;
    double value;
    Text text;
    bool decided = true;
  };
  std::vector<Entry> entries_;
};

// Tallies where one is at least `factor` times as fast as the other.
Tally at_least(const std::vector<Compared>& compared, double factor);
// And where it is that many times as fast, but not more than `most` times.
Tally within(const std::vector<Compared>& compared, double least, double most);
// Whether the interval lies between the two.
bool within(const Ratio& ratio, double least, double most);

// Combines the parts of a claim: see Outcome. It does not hold if none of the
// parts holds that could be tested.
Judgement together(const std::vector<Judgement>& parts);
// If the others cannot be tested, the main judgement alone decides.
Judgement supported(const Judgement& main,
                    const std::vector<Judgement>& others);

}  // namespace parlab
