// What claims are judged with: a table of small functions, and
// how their answers add up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "claims/claim.hpp"
#include "claims/evidence.hpp"
#include "statistics/statistics.hpp"

namespace parlab {

struct Judgement {
  Outcome outcome = Outcome::cannot_be_tested;
  Text numbers;
  std::string missing;  // empty when all of it was tested
  // by construction or from what was published: no record decides it
  bool computed = false;
  Text brief = {};  // the numbers at a glance; empty: they are short
};

struct Claim {
  const char *id, *report, *sentence, *rule, *figure;
  Judgement (*judge)(const Evidence& evidence);
};

// How an experiment announces the claims of its report and what the digest
// observed on them, once, in scripts/NAME/claims.cpp. section: that of
// the report in results/published/DIGEST.md.
class Claims {
 public:
  Claims(int section, const std::vector<Claim>& claims);
};
// Of all experiments in the order of the digest: the claims section by section,
// each by its number, then the observations likewise.
std::vector<Claim> all_claims();

// ---- comparing --------------------------------------------------------------

// How many times as fast as the other: the speedup when both are of the
// same point, else the ratio of their medians. Its interval is [0, infinity)
// when there are too few samples to give one.
Ratio gain(const Record& record, const Record& over);
struct Compared {
  Size size;
  Ratio ratio;
};
// The best of one over the best of the other at every size that both have.
std::vector<Compared> best_over_best(const Selection& ours,
                                     const Selection& theirs);
// The interval lies above the factor; below 1 / factor.
bool faster(const Ratio& ratio, double factor = 1);
bool slower(const Ratio& ratio, double factor = 1);
// Equality is shown, not assumed: yes when the whole interval lies within
// 1 / (1 + margin) and 1 + margin, or on the right side of one of them; no
// when it lies beyond; else the samples do not say.
std::optional<bool> as_fast(const Ratio& ratio, double margin);
std::optional<bool> no_faster(const Ratio& ratio, double margin);
std::optional<bool> no_slower(const Ratio& ratio, double margin);
std::optional<bool> both(std::optional<bool> a, std::optional<bool> b);
constexpr double margin_of_no_difference = 0.02;
// "1.48x", "1.01x (tie)", "1.60x (too few samples)"
Text in_words(const Ratio& ratio);
// "241x (236-247x)", where two of them are held against each other
Text with_interval(const Ratio& ratio);
Text times(double factor);         // "1.48x"
Text in_percent(double fraction);  // "95%"
Text number(double value);
Text time_of(const Record& record);   // "12.30 us"
std::string place(const Size& size);  // "4096" when square, else "300x1000"
std::string setting(const Record& record);  // "4096, block=16"
std::string name(const Record& record);     // "cuda/naive block=16"
std::optional<double> counter(const Record& record, const std::string& name);
// Problems with as many rows as the smallest to the largest of a published
// table, which has a column "rows".
Selection in_range_of(const std::string& table, const Selection& all);

// ---- judging ----------------------------------------------------------------

Judgement judged(std::optional<bool> holds, Text numbers);
// The same where nothing was measured.
Judgement by_construction(bool holds, Text numbers);
Judgement by_construction(Judgement judgement);
// No records of the experiment that would do: says how to make them. On a
// machine without a GPU those of the GPU cannot be made.
Judgement needs(const Evidence& evidence, const std::string& experiment,
                bool gpu = true);
Judgement needs_counters(const Evidence& evidence,
                         const std::string& experiment);
// Only another machine would do.
Judgement needs_else(std::string what);

// Where a rule held: at all places, at none, or at some.
class Tally {
 public:
  // text: the number and its place, "1.48x at 1024"; value: to say which is
  // least and most when there are too many to list.
  // What the samples do not decide is listed and counts neither way; a ratio of
  // too few samples is not decided.
  void add(std::optional<bool> held, double value, Text text);
  void add(std::optional<bool> held, const Ratio& ratio, const Text& where);
  bool empty() const { return entries_.empty(); }
  int held() const;
  int count() const;  // without those that are not decided
  int undecided() const;
  // what: goes before the numbers. if_empty: the judgement when
  // there was no place at all.
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

// Where one is at least so many times as fast as the other.
Tally at_least(const std::vector<Compared>& compared, double factor);

// A claim of several parts: see Outcome. It does not hold when none of those
// does that could be tested.
Judgement together(const std::vector<Judgement>& parts);
// The first alone decides when the others cannot be tested.
Judgement supported(const Judgement& main,
                    const std::vector<Judgement>& others);

}  // namespace parlab
