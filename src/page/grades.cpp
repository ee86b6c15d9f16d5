#include "page/grades.hpp"

#include <algorithm>

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "page/chart.hpp"
#include "page/frame.hpp"
#include "page/table.hpp"
#include "page/words.hpp"
#include "render/words.hpp"

namespace parlab::page {
namespace {

using grade::Class;
using grade::Grade;

std::string verdict_words(const Grade& grade) {
  std::string text(parlab::to_string(grade.verdict));
  std::replace(text.begin(), text.end(), '_', ' ');
  const bool open = grade.verdict == Verdict::unverified;
  return (grade.passed() ? "✓ " : open ? "– " : "✗ ") + text;
}

std::string time_words(const Grade& grade) {
  return grade.timed ? duration(grade.time.value) : "–";
}

// A line or two for the class; the student's own page has all of it.
std::string shortened(const Grade& grade) {
  const auto lines = wrap(parlab::words(grade.detail, Letters::unicode), 160);
  return lines.front() + (lines.size() > 1 ? " …" : "");
}

std::string points_words(const Class& all, const Grade& grade) {
  if (grade.verdict == Verdict::unverified) return "–";
  if (!grade.passed()) return "0";
  return all.timed() && grade.timed ? significant(grade.points, 3, 1) : "–";
}

// The fastest first, then those that are right without a time, then the others.
std::vector<const Grade*> in_order(const Class& all) {
  std::vector<const Grade*> order;
  for (const auto& grade : all.grades)
    order.push_back(&grade);
  const auto key = [](const Grade* grade) {
    const double time = grade->timed ? grade->time.value : 0;
    return std::make_tuple(!grade->passed(), !grade->timed, time);
  };
  std::stable_sort(
      order.begin(), order.end(),
      [&](const Grade* a, const Grade* b) { return key(a) < key(b); });
  return order;
}

std::string sizes_words(const std::vector<Size>& sizes) {
  std::string text;
  for (const auto& size : sizes)
    text += (text.empty() ? "" : ", ") + parlab::to_string(size);
  return text;
}

void write_terms(Html& html, const Class& all) {
  const auto& assignment = all.assignment;
  std::string text =
      "Every result was compared with the right answer within the bound of its "
      "arithmetic, in a process of its own, on whole numbers, on wide numbers "
      "and on "
      "random ones that follow from the seed " +
      std::to_string(assignment.seed) + ", at the sizes " +
      sizes_words(assignment.sizes) + " and, not announced, " +
      sizes_words(assignment.hidden) + ".";
  html.element("p", text);
  if (!all.timed()) {
    const auto why = !all.why_untimed
                         ? "there is no GPU here, or no reference"
                         : parlab::words(all.why_untimed, Letters::unicode);
    html.element("p", "Nothing was timed: " + why + ".", {{"class", "note"}});
    return;
  }
  html.element("p", "Times are medians, of several processes their mean, at " +
                        parlab::to_string(assignment.sizes.back()) + " on " +
                        all.machine + ", with their 95 % intervals. Points: " +
                        assignment.points.text() + " of the time of " +
                        all.reference->full_name() + ", " +
                        duration(all.reference_time.value) +
                        "; the end of the interval that is better decides, and "
                        "who shares a rank "
                        "shares its points.");
}

// All submissions that have a time, and our own rungs, by time: each a bar
// as long as the share of the fastest time.
void write_ladder_of_class(Html& html, const Class& all, bool anonymous) {
  struct Rung {
    std::string name;
    double time;
    bool own;
  };
  std::vector<Rung> rungs;
  for (const auto& rung : all.ladder) {
    const bool is_reference =
        all.reference && rung.full_name() == all.reference->full_name();
    const double time =
        is_reference ? all.reference_time.value : rung.summary().median;
    rungs.push_back({name(rung), time, true});
  }
  std::size_t number = 0;
  for (const auto* grade : in_order(all)) {
    ++number;
    if (!grade->timed) continue;
    const auto name =
        anonymous ? "no. " + std::to_string(number) : grade->submission.student;
    rungs.push_back({name, grade->time.value, false});
  }
  if (rungs.empty()) return;
  std::sort(rungs.begin(), rungs.end(),
            [](const Rung& a, const Rung& b) { return a.time > b.time; });
  const double fastest = rungs.back().time;
  html.element("h2", "The ladder of all submissions", {{"id", "ladder"}});
  html.element("p",
               "Slowest first; framed bars are the rungs of parlab. A bar is "
               "the speed, as a "
               "share of the fastest.",
               {{"class", "note"}});
  html.open("ol", {{"class", "ladder"}}).line_break();
  for (const auto& rung : rungs) {
    html.open("li")
        .open("div", {{"class", "bar"}})
        .element("span", rung.name, {{"class", "what"}});
    html.open("svg", {{"viewBox", "0 0 100 6"},
                      {"preserveAspectRatio", "none"},
                      {"aria-hidden", "true"}});
    html.single("rect",
                {{"class", "track"}, {"width", "100"}, {"height", "6"}});
    html.single("rect", {{"class", rung.own ? "framed" : "filled"},
                         {"width", significant(100 * fastest / rung.time, 4)},
                         {"height", "6"}});
    html.close().element("span", duration(rung.time), {{"class", "value"}});
    html.close().close().line_break();
  }
  html.close().line_break();
}

}  // namespace

std::string class_page(const Class& all, bool anonymous) {
  const std::string workload(all.assignment.workload->name());
  Html html;
  begin_page(html, "Grades of " + workload + ": parlab");
  html.element("h1", "Grades of " + workload);
  const auto right =
      std::count_if(all.grades.begin(), all.grades.end(),
                    [](const Grade& grade) { return grade.passed(); });
  html.element("p", std::to_string(right) + " of " +
                        counted(all.grades.size(), "submission") +
                        " are right.");
  write_terms(html, all);
  html.element("h2", "Results", {{"id", "results"}});
  std::vector<Row> rows;
  std::size_t number = 0;
  for (const auto* grade : in_order(all)) {
    ++number;
    Row row;
    const auto& name = grade->submission.name;
    row.push_back(anonymous ? Cell{"no. " + std::to_string(number)}
                            : Cell{grade->submission.student,
                                   {},
                                   "students/" + name + ".html"});
    if (all.timed())
      row.push_back({grade->rank > 0 ? std::to_string(grade->rank) : "–"});
    row.push_back({verdict_words(*grade),
                   !grade->passed() && anonymous ? "" : shortened(*grade)});
    if (all.timed()) {
      row.push_back(
          {time_words(*grade), grade->timed ? interval(grade->time) : ""});
      row.push_back(
          {grade->to_reference ? factor(grade->to_reference->value) : "–",
           grade->to_reference ? range(*grade->to_reference) : ""});
      row.push_back({grade->of_roof ? percent(*grade->of_roof) : "–"});
    }
    row.push_back({points_words(all, *grade)});
    rows.push_back(std::move(row));
  }
  std::vector<std::string> titles{"student", "verdict", "points"};
  if (all.timed()) {
    titles = {"student",          "rank", "verdict", "time",
              "of the reference", "roof", "points"};
  }
  write_cards(html, titles, rows);
  write_ladder_of_class(html, all, anonymous);
  return end_page(html);
}

std::string student_page(const Class& all, const Grade& grade) {
  const std::string workload(all.assignment.workload->name());
  Html html;
  begin_page(html, grade.submission.student + ", " + workload + ": parlab");
  html.element("h1", grade.submission.student).open("p");
  html.element("strong", verdict_words(grade));
  if (!grade.where.empty()) html.text(" at " + parlab::to_string(grade.where));
  html.close();
  if (grade.detail)
    html.element("pre", parlab::words(grade.detail, Letters::unicode));
  if (!grade.idea.empty()) html.element("p", "“" + grade.idea + "”");
  std::vector<std::vector<std::string>> facts;
  const auto fact = [&](const std::string& what, const std::string& value) {
    if (!value.empty() && value != "–") facts.push_back({what, value});
  };
  fact("points", points_words(all, grade));
  if (grade.timed) {
    const auto& record = *grade.timed;
    fact("time", time_words(grade) + " (" + interval(grade.time) + ")");
    if (grade.rank > 0) fact("rank", std::to_string(grade.rank));
    if (grade.to_reference) {
      fact("of the time of " + all.reference->full_name(),
           factor(grade.to_reference->value) + " (" +
               range(*grade.to_reference) + ")");
    }
    if (grade.of_roof) fact("of the roof", percent(*grade.of_roof));
    if (record.launch.registers > 0) {
      fact("registers per thread", std::to_string(record.launch.registers));
      fact("occupancy", percent(record.launch.occupancy));
    }
  }
  if (!facts.empty()) write_numbers(html, {"", ""}, facts);
  const auto next = parlab::words(grade::advice(all, grade), Letters::unicode);
  if (!next.empty()) {
    html.element("h2", "What to try next");
    html.element("p", next);
  }
  html.element("h2", "How it was graded");
  write_terms(html, all);
  return end_page(html);
}

}  // namespace parlab::page
