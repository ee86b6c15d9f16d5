#include <map>
#include <set>

#include "core/numbers.hpp"
#include "page/sections.hpp"
#include "page/words.hpp"
#include "record/speedup.hpp"

namespace parlab::page {
namespace {

// A bar as wide as its share of the space; filled or framed, which
// differ without colour, too.
void write_bar(Html& html,
               const std::string& what,
               std::optional<double> share,
               bool filled) {
  if (!share) return;
  html.open("div", {{"class", "bar"}})
      .element("span", what, {{"class", "what"}});
  html.open("svg", {{"viewBox", "0 0 100 6"},
                    {"preserveAspectRatio", "none"},
                    {"aria-hidden", "true"}});
  html.single("rect", {{"class", "track"}, {"width", "100"}, {"height", "6"}});
  html.single("rect", {{"class", filled ? "filled" : "framed"},
                       {"width", significant(100 * std::min(*share, 1.0), 4)},
                       {"height", "6"}});
  html.close();
  html.element("span", percent(*share) + (*share > 1.0005 ? " →" : ""),
               {{"class", "value"}});
  html.close().line_break();
}

bool is_library(Side side) {
  return side == Side::cpu_library || side == Side::gpu_library;
}

// What this rung bought over the one below it; nothing when there is
// none to compare it with.
struct Gain {
  std::string text, range;
};

std::optional<Gain> gain(const Entry& entry, const Entry* below) {
  if (below == nullptr) return std::nullopt;
  const auto ratio = speedup(entry.record, below->record, false);
  const auto over = name(below->record);
  if (!ratio) {
    const auto origin = of_two(entry.record, below->record);
    if (origin.empty()) return std::nullopt;
    return Gain{"not compared with " + over, origin};
  }
  return Gain{parlab::tied(*ratio)
                  ? "a tie with " + over
                  : factor(ratio->value) + " as fast as " + over,
              with_of_two(range(*ratio), entry.record, below->record)};
}

std::string idea_of(const Entry& entry) {
  if (const auto* variant = variant_of(entry.record)) return variant->idea;
  return entry.side == Side::gpu_library ? "the vendor's library" : "";
}

void write_rung(Html& html,
                const Entry& entry,
                const Entry* below,
                const Entry* library,
                const std::string& roof) {
  const auto& record = entry.record;
  html.open("li").open("p");
  html.element("strong", setting(record))
      .text(" ")
      .text(duration(entry.summary.median) + " ");
  html.element("small", interval(entry.summary)).close();
  const auto idea = idea_of(entry);
  const auto bought = gain(entry, below);
  if (!idea.empty() || bought) {
    html.open("p").text(idea);
    if (bought) {
      html.text(idea.empty() ? "" : ": ").element("b", bought->text).text(" ");
      html.element("small", bought->range);
    }
    html.close();
  }
  write_bar(html, roof, of_roof(entry), true);
  const auto over_library = library == nullptr || library == &entry
                                ? std::nullopt
                                : speedup(record, library->record, false);
  if (over_library) {
    write_bar(html, "of " + library->record.variant, over_library->value,
              false);
  }
  if (reduced_arithmetic(record)) {
    html.element("p", "In reduced precision: not compared with full precision.",
                 {{"class", "note"}});
  }
  html.close().line_break();
}

// entries: of one dtype and one half of the machine.
void write_ladder(Html& html, const Entries& entries, bool gpu) {
  const auto size = ladder_size(entries);
  if (!size) return;
  const auto point = of_size(entries, *size);
  const auto rungs = ladder(point);
  const auto* library =
      best_peer(of_side(rungs, gpu ? Side::gpu_library : Side::cpu_library));
  const auto& first = rungs.front()->record;
  const auto* fastest =
      best_peer(rungs) != nullptr ? best_peer(rungs) : best(rungs);
  const auto share = of_roof(*fastest);
  html.open("details", {{"class", "printed"}}).open("summary");
  html.element("b", std::string(gpu ? "On the GPU, " : "On the CPU, ") +
                        std::string(parlab::to_string(first.dtype)) + ", " +
                        dimensions(first));
  html.text(": " + counted(rungs.size(), "rung") + ", the fastest " +
            name(fastest->record) + " in " + duration(fastest->summary.median) +
            (share ? ", " + percent(*share) + " of the roof" : ""));
  html.close();
  html.open("ol", {{"class", "ladder"}}).line_break();
  // Rungs on tensor cores have a higher roof than the others.
  std::set<std::string> units;
  for (const auto* rung : rungs)
    units.insert(rung->record.unit);
  std::map<Arithmetic, const Entry*> before;
  for (const auto* rung : rungs) {
    // Only with what computes alike: a library with the best that was written
    // here, a rung with the one before it.
    const auto arithmetic = rung->record.arithmetic;
    const auto* own = best(where(rungs, [&](const Entry& e) {
      return !is_library(e.side) && e.record.arithmetic == arithmetic;
    }));
    auto& last = before[arithmetic];
    const bool of_vendor = is_library(rung->side);
    const bool peers = !reduced_arithmetic(rung->record);
    write_rung(
        html, *rung, of_vendor ? own : last, peers ? library : nullptr,
        units.size() < 2 ? "of the roof" : "of the roof, " + rung->record.unit);
    if (!of_vendor) last = rung;
  }
  html.close().close().line_break();
}

void write_both(Html& html, const Entries& entries) {
  for (const bool gpu : {true, false})
    write_ladder(html, on_device(entries, gpu), gpu);
}

}  // namespace

void write_ladders(Html& html, const Entries& of_workload) {
  if (of_workload.empty()) return;
  html.element(
      "h3", "The ladder, rung by rung",
      {{"id", anchor("ladder-" + of_workload.front()->record.workload)}});
  std::set<std::string> gpus;
  for (const auto* entry : of_workload)
    gpus.insert(entry->record.gpu);
  gpus.erase("");
  html.element("p",
               "The fastest setting of every variant at the largest size most "
               "of them were measured at; what each changed, and what that "
               "bought over the rung before it." +
                   (gpus.size() > 1 ? " " + what_of_two_means : ""),
               {{"class", "note"}});
  const auto main = main_dtype(of_workload);
  write_both(html, of_dtype(of_workload, main));
  for (const auto dtype : dtypes(of_workload)) {
    if (dtype == main) continue;
    html.open("details").element(
        "summary", "The ladder in " + std::string(parlab::to_string(dtype)));
    write_both(html, of_dtype(of_workload, dtype));
    html.close().line_break();
  }
}

}  // namespace parlab::page
