// A graded class as pages.
#include <algorithm>
#include <functional>
#include <map>

#include "commands/documents.hpp"
#include "core/text.hpp"
#include "grade/grading.hpp"
#include "page/words.hpp"
#include "render/words.hpp"

namespace parlab::page {
namespace {

using grade::Class;
using grade::Grade;

std::string judged_as(const Grade& grade) {
  std::string text(to_string(grade.verdict));
  std::ranges::replace(text, '_', ' ');
  const bool open = grade.verdict == Verdict::unverified;
  return (grade.passed() ? "✓ " : open ? "– " : "✗ ") + text;
}

Quantity factor_of(const Grade& grade) {
  return times(*grade.to_reference);
}

// A line or two for the class; the student's own page has the full text.
std::string shortened(const Grade& grade) {
  const auto lines = wrap(parlab::words(grade.detail, Letters::unicode), 160);
  return lines.front() + (lines.size() > 1 ? " …" : "");
}

std::vector<Block> terms(const Class& all) {
  const auto& assignment = all.assignment;
  const auto in_words = [&](const Size& size) {
    return size_text(*assignment.workload, size);
  };
  const Paragraph how{
      "Every result was compared with the right answer within the bound of its "
      "arithmetic, in a process of its own, on whole numbers, on wide numbers "
      "and on random ones that follow from the seed " +
      std::to_string(assignment.seed) + ", at the sizes " +
      join(assignment.sizes, ", ", in_words) + " and, not announced, " +
      join(assignment.hidden, ", ", in_words) + "."};
  if (!all.timed()) {
    const auto why =
        !all.why_untimed
            ? std::string(grade::without_times)
            : "Nothing was timed: " +
                  parlab::words(all.why_untimed, Letters::unicode) + ".";
    return {how, remark(why)};
  }
  return {
      how,
      Paragraph{
          "Times are medians, of several processes their mean, at " +
          to_string(assignment.sizes.back()) + " on " + all.machine +
          ", with their 95 % intervals. Points: " + assignment.points.text() +
          " of the time of " + all.reference->full_name() + ", " +
          Quantity{all.reference_time.value, Unit::second} +
          "; the better end of the interval decides, and submissions that "
          "share a rank share its points."}};
}

// All submissions that have a time, and our own rungs, sorted by time; the bar
// shows the share of the fastest time.
std::optional<Section> ladder_of_class(const Class& all, bool anonymous) {
  std::multimap<double, Rung, std::greater<>> by_time;
  for (const auto& rung : all.ladder) {
    const bool is_reference =
        all.reference && rung.full_name() == all.reference->full_name();
    by_time.emplace(
        is_reference ? all.reference_time.value : rung.summary().median,
        Rung{.name = rung.name(), .framed = true});
  }
  std::size_t number = 0;
  for (const auto* grade : by_rank(all)) {
    ++number;
    if (!grade->timed) continue;
    const auto name =
        anonymous ? "no. " + std::to_string(number) : grade->submission.student;
    by_time.emplace(grade->time.value, Rung{.name = name});
  }
  if (by_time.empty()) return std::nullopt;
  const double fastest = by_time.rbegin()->first;
  Ladder places;
  for (auto& [time, rung] : by_time) {
    rung.share = fastest / time;
    rung.time = Quantity{time, Unit::second};
    places.rungs.push_back(rung);
  }
  return Section{.id = "ladder",
                 .title = "The ladder of all submissions",
                 .blocks = {remark("Slowest first; framed bars are the rungs "
                                   "of parlab. A bar is the speed, as a share "
                                   "of the fastest."),
                            places}};
}

}  // namespace

Document class_page(const Class& all, bool anonymous) {
  const auto right = std::ranges::count_if(all.grades, &Grade::passed);
  const bool has_sectors = std::ranges::any_of(
      all.grades,
      [](const Grade& grade) { return !sectors_per_request(grade).empty(); });
  std::vector<std::string> titles{"student", "verdict", "points"};
  if (all.timed()) {
    titles = {"student",          "rank", "verdict", "time",
              "of the reference", "roof", "points"};
  }
  if (has_sectors) titles.emplace_back("sectors per request");
  auto table = table_of(titles);
  std::size_t number = 0;
  for (const auto* grade : by_rank(all)) {
    ++number;
    const auto& submission = grade->submission;
    const auto who = anonymous
                         ? Text("no. " + std::to_string(number))
                         : Text(Link{submission.student,
                                     "students/" + submission.name + ".html"});
    const Cell verdict{judged_as(*grade),
                       !grade->passed() && anonymous ? "" : shortened(*grade)};
    const auto points = points_of(all, *grade);
    auto& row = table.add({who, verdict, points});
    if (all.timed()) {
      row = row_of(
          {who, grade->rank > 0 ? std::to_string(grade->rank) : "", verdict,
           grade->timed ? with_interval(time_of(grade->time)) : Cell(),
           grade->to_reference ? with_interval(factor_of(*grade)) : Cell(),
           grade->of_roof ? Text(share(*grade->of_roof)) : Text(), points});
    }
    if (has_sectors) row.cells.push_back(sectors_per_request(*grade));
  }
  Document page{
      .title = "Grades of " + std::string(all.assignment.workload->name()),
      .blocks = {Paragraph{std::to_string(right) + " of " +
                           counted(all.grades.size(), "submission") +
                           " are right."}}};
  page.add(terms(all));
  page.add(Section{.id = "results", .title = "Results", .blocks = {table}});
  page.add(ladder_of_class(all, anonymous));
  return page;
}

Document student_page(const Class& all, const Grade& grade) {
  Document page{.title = grade.submission.student};
  page.add(Paragraph{
      Strong{judged_as(grade)} +
      Text(grade.where.empty()
               ? ""
               : " at " + size_text(*all.assignment.workload, grade.where))});
  if (grade.detail) page.add(Paragraph{.text = grade.detail, .verbatim = true});
  if (!grade.idea.empty()) page.add(Paragraph{"“" + grade.idea + "”"});
  auto facts = table_of({"", ""});
  const auto fact = [&](const std::string& what, const Text& value) {
    if (!value.empty()) facts.add({what, value});
  };
  fact("points", points_of(all, grade));
  fact("sectors per request of a warp's loads", sectors_per_request(grade));
  if (grade.timed) {
    const auto& record = *grade.timed;
    const auto time = time_of(grade.time);
    fact("time", time + Text(" (") + Range{time} + ")");
    if (grade.rank > 0) fact("rank", std::to_string(grade.rank));
    if (grade.to_reference) {
      fact("of the time of " + all.reference->full_name(),
           factor_of(grade) + Text(" (") + Range{factor_of(grade)} + ")");
    }
    if (grade.of_roof) fact("of the roof", share(*grade.of_roof));
    if (record.launch.registers > 0) {
      fact("registers per thread", std::to_string(record.launch.registers));
      fact("occupancy", share(record.launch.occupancy));
    }
  }
  page.add(facts);
  const Text next = grade::advice(all, grade);
  if (!next.empty()) {
    page.add(Section{.title = "What to try next", .blocks = {Paragraph{next}}});
  }
  if (grade.slow.size() > 1) {
    Section slow{.title = "What its warps wait for"};
    for (const auto& said : grade.slow)
      slow.add(Paragraph{said});
    page.add(slow);
  }
  page.add(Section{.title = "How it was graded", .blocks = terms(all)});
  return page;
}

}  // namespace parlab::page
