// The ladders of a workload, as bars.
#include <algorithm>
#include <functional>

#include "audit/audit.hpp"
#include "core/text.hpp"
#include "page/counts.hpp"
#include "page/reference.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"

namespace parlab::page {
namespace {

std::string idea_of(const Entry& entry) {
  if (const auto* variant = variant_of(entry.record)) {
    auto idea = variant->idea;
    std::erase(idea, '`');
    return typeset(idea);
  }
  return entry.side == Side::gpu_library ? "the vendor's library" : "";
}

// A rung, and how much faster it is than the best one before it. All rungs use
// the same kind of arithmetic; libraries are no rungs.
struct Step {
  const Entry* entry;
  const Entry* before;
  std::optional<Ratio> gain;

  // The whole interval decides. Without one, the gain must be larger than
  // noise.
  bool bought() const {
    constexpr double obvious = 1.5;
    return gain && (decided(*gain) ? above(*gain, worth_mentioning)
                                   : gain->value > obvious);
  }
  // It may be faster by more than that, or slower.
  bool open() const {
    if (!gain || bought()) return false;
    return decided(*gain)
               ? parlab::tied(*gain) && gain->interval.high > worth_mentioning
               : gain->value > worth_mentioning;
  }
};

// The fastest earlier rung that it can be compared with; one of another host
// cannot.
Step step_of(const Entry* entry, const std::vector<Step>& steps) {
  Step step{entry, nullptr, std::nullopt};
  for (const auto& earlier : steps) {
    const auto gain = speedup(entry->record, earlier.entry->record);
    const bool best = gain && (!step.gain || earlier.entry->summary.median <
                                                 step.before->summary.median);
    if (best || step.before == nullptr) {
      step.before = earlier.entry;
      step.gain = gain;
    }
  }
  return step;
}

std::vector<Step> climb(const Entries& rungs) {
  std::vector<Step> steps;
  for (const auto* entry : rungs) {
    if (!of_library(entry->side)) steps.push_back(step_of(entry, steps));
  }
  return steps;
}

Cell gain_cell(const Step& step) {
  if (step.before == nullptr) return {"the first"};
  if (!step.gain) {
    return {"not compared", of_two(step.entry->record, step.before->record)};
  }
  const auto note = range_of(*step.gain) +
                    behind_of_two(step.entry->record, step.before->record);
  if (step.bought())
    return {Strong{in_words(times(*step.gain))} + Text(" the best before"),
            note};
  return {step.open() ? Text(decided(*step.gain) ? "within the noise"
                                                 : "too few samples to tell")
          : parlab::tied(*step.gain) ? Text("a tie")
          : step.gain->value > 1
              ? Text("no gain")
              : as_fast(*step.gain) + Text(" than the best before"),
          note};
}

// Nearly all rungs on a GPU are of one backend.
std::string short_name(const Entry& entry) {
  return on_gpu(entry.side) ? entry.record.variant : entry.record.name();
}

// Compared with the best of the same arithmetic here, or of full precision.
Cell against(const Entry& entry, const Entry* other) {
  if (other == nullptr || other == &entry) return {};
  const auto ratio = speedup(entry.record, other->record);
  if (!ratio) return {"not compared", of_two(entry.record, other->record)};
  return {as_fast_as(*ratio) + short_name(*other),
          range_of(*ratio) + behind_of_two(entry.record, other->record)};
}

Rung rung_of(const Measured& measured, const Entry& entry, const Entries& rungs,
             const Cell& gain, const Curves& curves) {
  const auto& record = entry.record;
  const auto name_here = short_name(entry);
  const auto curve = curves.find(record.name());
  Rung rung{.name = curve == curves.end()
                        ? Text(name_here)
                        : Text(Link{name_here, "#" + curve->second,
                                    "its curve in a figure"}),
            .share = of_limit(entry, rungs).value_or(0),
            .framed = of_library(entry.side),
            .time = with_interval(time_of(entry)),
            .gain = gain};
  std::vector<Text> idea;
  if (const auto text = idea_of(entry); !text.empty()) idea.push_back(text);
  if (const auto text = tunables_of(record); !text.empty())
    idea.push_back(text);
  if (const auto why = width_problem(entry.summary)) idea.push_back(Text(why));
  rung.idea = joined(idea, "; ");
  if (const auto* counts = counts_of(measured.counted, record))
    rung.counts = counts_in_words(*counts);
  return rung;
}

// Rungs and libraries of the same arithmetic.
Ladder ladder_of(const Measured& measured, const Entries& rungs,
                 const Entry* full_precision, const Curves& curves) {
  Ladder ladder;
  const auto steps = climb(rungs);
  const auto* own = best(without_libraries(rungs));
  auto step = steps.begin();
  for (const auto* entry : rungs) {
    const bool library = of_library(entry->side);
    const Cell gain = full_precision != nullptr
                          ? against(*entry, full_precision)
                      : library ? against(*entry, own)
                                : gain_cell(*step);
    ladder.rungs.push_back(rung_of(measured, *entry, rungs, gain, curves));
    if (!library) ++step;
  }
  return ladder;
}

// "Fastest is warp_tiles, 79% of the limit"
std::string fastest_of(const Entries& rungs) {
  const auto& fastest = *best(rungs);
  const auto reached = of_limit(fastest, rungs);
  const auto gpus = gpus_at_work(fastest);
  return "fastest is " + short_name(fastest) +
         (gpus > 1 ? " on " + counted(static_cast<std::size_t>(gpus), "GPU")
                   : "") +
         (of_library(fastest.side) ? " of the library" : "") +
         (reached ? ", " + in_words(share(*reached)) + " of the limit" : "") +
         "; ";
}

// Why the fastest variant of other arithmetic is no rung of the ladder.
std::optional<Paragraph> why_apart(const Measured& measured,
                                   const Entries& rungs, const Entry* full) {
  const auto* alike = best(of_precision(rungs, Precision::alike));
  if (alike == nullptr || full == nullptr) return std::nullopt;
  const auto ratio = speedup(alike->record, full->record);
  if (!ratio || parlab::tied(*ratio) || ratio->value < 1) return std::nullopt;
  const auto own = limit_of(measured, alike->record),
             other = limit_of(measured, full->record);
  const auto type = std::string(to_string(full->record.dtype));
  return Paragraph{Strong{short_name(*alike)} + " is " + as_fast(*ratio) +
                   " as " + short_name(*full) +
                   ", at the same accuracy. It is listed separately because it "
                   "does not use " +
                   type + "'s own arithmetic" +
                   (own.empty() || own == other
                        ? "."
                        : ": its limit is " + limit_words(own) + ", not " +
                              limit_words(other) + ".")};
}

// Says which counts are shown beside the rungs.
Text where_counted(const Measured& measured, const Entries& rungs) {
  for (const auto* entry : rungs) {
    if (const auto* counts = counts_of(measured.counted, entry->record)) {
      return " The last line of a rung shows the memory requests of its warps "
             "at " +
             dimensions(*counts) +
             ", counted by emulation. A sector is 32 bytes; 32 neighbours of 4 "
             "bytes need 4 sectors a request.";
    }
  }
  return {};
}

// Names the kinds of steps without a gain, in the words of gain_cell().
Text kinds_of_no_gain(const Entries& rungs) {
  bool open = false, other = false;
  for (const auto& step : climb(rungs)) {
    open |= step.open() && decided(*step.gain);
    other |= step.gain && !step.bought() && !step.open();
  }
  const Text least{Quantity{worth_mentioning, Unit::factor}};
  return (other ? " \"No gain\": the interval is not entirely above " + least +
                      "; a tie: it includes 1."
                : Text()) +
         (open ? " \"Within the noise\": the interval includes 1 and reaches "
                 "beyond " +
                     least + ", so the data do not tell."
               : Text());
}

// entries: of one dtype on the GPU (or the CPU), at one size.
Section half_of(const Measured& measured, const Entries& entries, bool gpu,
                bool is_main, const Curves& curves) {
  const auto rungs = ladder(entries);
  const auto full = of_precision(rungs, Precision::full);
  const auto& shown = full.empty() ? rungs : full;
  const auto& first = shown.front()->record;
  const auto limit = limit_of(measured, best(shown)->record);
  const auto* unlimited = best(
      where(shown, [&](const Entry& one) { return !of_limit(one, shown); }));
  Section section{
      .title = (is_main ? gpu ? "On the GPU: " : "On the CPU: "
                        : "In " + std::string(to_string(first.dtype)) +
                              (gpu ? ", on the GPU: " : ", on the CPU: ")) +
               fastest_of(shown) + finding_of_ladder(shown),
      .blocks = {Paragraph{
          .text = point_of(first) + (gpu ? ", data on the GPU" : "") +
                  (limit.empty() ? Text()
                                 : ". Percent of the limit that " +
                                       limit_words(limit) + " sets") +
                  (std::ranges::any_of(
                       shown, [](const Entry* one) { return of_team(*one); })
                       ? ", for as many GPUs as the rung uses"
                       : "") +
                  "; gains are relative to the best rung above." +
                  kinds_of_no_gain(shown) +
                  (unlimited == nullptr
                       ? Text()
                       : " Without a bar: " + without_limit(*unlimited) + ".") +
                  where_counted(measured, rungs),
          .small = true}}};
  const auto* best_full = best(full);
  section.add(why_apart(measured, rungs, best_full));
  if (!full.empty()) section.add(ladder_of(measured, full, nullptr, curves));
  const std::pair<Precision, std::string> others[] = {
      {Precision::alike,
       "Other arithmetic with the same accuracy: its errors stay within the "
       "bound of " +
           std::string(to_string(first.dtype)) + "."},
      {Precision::reduced, "Reduced precision."}};
  for (const auto& [precision, what] : others) {
    const auto some = of_precision(rungs, precision);
    if (some.empty()) continue;
    section.add(
        Paragraph{Strong{what} +
                  Text(best_full == nullptr
                           ? ""
                           : " Compared with the fastest in full precision; "
                             "percent of the limit of its own units.")});
    section.add(ladder_of(measured, some, best_full, curves));
  }
  return section;
}

}  // namespace

std::string finding_of_ladder(const Entries& rungs) {
  const auto steps = climb(rungs);
  if (steps.empty()) return "the library alone";
  if (steps.size() == 1)
    return "one variant, " + steps[0].entry->record.variant;
  std::vector<const Step*> gains;
  std::size_t idle = 0, compared = 0;
  bool open = false;  // whether one of the idle ones may be faster
  for (const auto& step : steps) {
    if (!step.gain) continue;
    ++compared;
    if (step.bought()) gains.push_back(&step);
    idle = step.bought() ? 0 : idle + 1;
    open = !step.bought() && (open || step.open());
  }
  const std::string beyond = open ? " beyond the noise" : "";
  const bool all_compared = compared + 1 == steps.size();
  if (gains.empty() && !all_compared)
    return "measured on different hosts, not all compared";
  if (gains.empty()) {
    return "no idea beats the first, " + steps[0].entry->record.variant +
           (open ? "," : "") + beyond;
  }
  const auto named = [](const Step* step) {
    return step->entry->record.variant + " (" + in_words(times(*step->gain)) +
           ")";
  };
  auto largest = gains;
  std::ranges::stable_sort(largest, std::greater{},
                           [](const Step* step) { return step->gain->value; });
  largest.resize(std::min<std::size_t>(largest.size(), 3));
  std::vector<std::string> names;
  for (const auto* step : gains) {
    if (std::ranges::find(largest, step) != largest.end())
      names.push_back(named(step));
  }
  std::string text =
      listed(names) + (!all_compared
                           ? " gained the most of those that can be compared"
                       : gains.size() == 1 ? " is the whole gain"
                       : gains.size() <= 3 ? " are the whole gain"
                                           : " gain the most");
  if (idle > 0) {
    text += "; the " + (idle == 1 ? "one idea" : counted(idle, "idea")) +
            " after " + gains.back()->entry->record.variant +
            (idle == 1 ? " adds nothing" : " add nothing") + beyond;
  }
  return text;
}

std::vector<Block> ladders(const Measured& measured, const Reference& reference,
                           const Curves& curves) {
  std::vector<Block> blocks;
  const auto entries = of_workload(all(measured), reference.workload);
  for (const auto dtype : dtypes(entries)) {
    for (const bool gpu : {true, false}) {
      const auto half = on_device(of_dtype(entries, dtype), gpu);
      if (half.empty()) continue;
      auto at = of_size(half, reference.size);
      if (at.empty()) at = of_size(half, *ladder_size(half));
      const bool main = dtype == reference.dtype;
      auto section = half_of(measured, at, gpu, main, curves);

      // Without a GPU, the CPU's section is shown first.
      section.folded = !main || (!gpu && measured.has_gpu());
      section.printed = main;
      if (main && gpu == measured.has_gpu()) {
        blocks.insert(blocks.begin(), section);
      } else {
        blocks.push_back(section);
      }
    }
  }
  return blocks;
}

}  // namespace parlab::page
