#include "grade/grading.hpp"

#include <algorithm>
#include <tuple>

#include "core/text.hpp"

namespace parlab::grade {
namespace {

Text rank_of(const Grade& grade) {
  return grade.rank > 0 ? Text(static_cast<std::int64_t>(grade.rank)) : Text();
}

Text time_of(const Grade& grade) {
  if (!grade.timed) return {};
  return Quantity{grade.time.value, Unit::second, grade.time.interval()};
}

Text to_reference(const Grade& grade) {
  if (!grade.to_reference) return {};
  const auto& [value, interval] = *grade.to_reference;
  return Quantity{value, Unit::factor, interval};
}

Text fraction_of(std::optional<double> fraction) {
  return fraction ? Text(Quantity{*fraction, Unit::fraction}) : Text();
}

Text verdict_of(const Grade& grade) {
  return to_string(grade.verdict);
}

std::vector<const Grade*> by_rank(const Class& all) {
  std::vector<const Grade*> order;
  for (const auto& grade : all.grades)
    order.push_back(&grade);
  const auto key = [](const Grade* grade) {
    return std::make_tuple(!grade->passed(), grade->rank == 0, grade->rank);
  };
  std::ranges::stable_sort(order, {}, key);
  return order;
}

Row row_of_grade(const Class& all, const Grade& grade) {
  std::vector<Text> texts{rank_of(grade), grade.submission.student,
                          verdict_of(grade)};
  if (grade.passed() && grade.timed) {
    texts.insert(texts.end(),
                 {time_of(grade), fraction_of(relative_half_width(grade.time)),
                  to_reference(grade), fraction_of(grade.of_roof),
                  points_of(all, grade)});
  } else {
    Text why =
        grade.where.empty()
            ? ""
            : "at " + size_text(*all.assignment.workload, grade.where) + ": ";
    texts.push_back(why += grade.detail ? Text(grade.detail) : Text());
  }
  return row_of(texts);
}

// Why there are no times, or the basis of their comparison.
Text terms(const Class& all) {
  if (all.interrupted)
    return "interrupted: submissions marked unverified were not graded";
  if (all.timed()) {
    return "ratio: of the time of " + all.reference->full_name() + ", " +
           Quantity{all.reference_time.value, Unit::second} +
           "; points: " + all.assignment.points.text();
  }
  if (!all.why_untimed) return without_times;
  const bool others = all.why_untimed.cause == Cause::machine_busy;
  return Text("nothing was timed: ") + all.why_untimed +
         (others ? "; grade again when they are done" : "");
}

// For programs, rounded as for people.
Text number(const std::string& text) {
  return text.empty() ? Text() : Quantity{std::stod(text)};
}

}  // namespace

std::string points_of(const Class& all, const Grade& grade) {
  if (grade.verdict == Verdict::unverified) return {};
  if (!grade.passed()) return "0";
  return all.timed() && grade.timed ? significant(grade.points, 3, 1) : "";
}

std::optional<double> sectors_per_request(const Grade& grade) {
  double requests = 0, sectors = 0;
  for (const auto& line : grade.counted.value_or(Counted{}).lines) {
    if (line.access != Access::global_load) continue;
    requests += static_cast<double>(line.requests);
    sectors += static_cast<double>(line.moved);
  }
  return requests > 0 ? std::optional(sectors / requests) : std::nullopt;
}

Document class_report(const Class& all) {
  Table table{.columns = {{.title = "rank", .right = true},
                          {.title = "student", .widest = 20},
                          {.title = "verdict", .widest = 14},
                          {.title = "time", .right = true},
                          {.title = "+-95%", .right = true},
                          {.title = "ratio", .right = true},
                          {.title = "roof", .right = true},
                          {.title = "points", .right = true}}};
  for (const auto* grade : by_rank(all))
    table.rows.push_back(row_of_grade(all, *grade));
  const auto right = std::ranges::count_if(all.grades, &Grade::passed);
  std::string summary = std::to_string(right) + " of " +
                        std::to_string(all.grades.size()) +
                        " are right; inputs of the seed " +
                        std::to_string(all.assignment.seed) + ", sizes ";
  auto sizes = all.assignment.sizes;
  std::ranges::copy(all.assignment.hidden, std::back_inserter(sizes));
  summary += join(sizes, ", ", [&](const Size& size) {
    return size_text(*all.assignment.workload, size);
  });
  return {.blocks = {table, Paragraph{summary}, remark(terms(all))}};
}

Table class_table(const Class& all) {
  Table table{.key = "grade",
              .columns = keyed({"student", "points", "verdict", "rank", "size",
                                "time_s", "ratio", "roof", "registers",
                                "occupancy", "detail", "workload", "dtype",
                                "machine", "sectors_per_request", "slow"})};
  for (auto& column : table.columns)
    column.interval = column.key == "time_s" || column.key == "ratio";
  for (const auto& grade : all.grades) {
    const std::int64_t registers =
        grade.timed ? grade.timed->launch.registers : 0;
    const bool known = registers > 0;
    const auto sectors = sectors_per_request(grade);
    table.rows.push_back(row_of(
        {grade.submission.student, number(points_of(all, grade)),
         verdict_of(grade), rank_of(grade),
         to_string(grade.timed ? grade.timed->size : grade.where),
         time_of(grade), to_reference(grade), fraction_of(grade.of_roof),
         known ? Text(registers) : Text(),
         known ? fraction_of(grade.timed->launch.occupancy) : Text(),
         grade.detail ? Text(grade.detail) : Text(),
         all.assignment.workload->name(), to_string(all.assignment.dtype),
         all.machine, number(sectors ? significant(*sectors, 3) : ""),
         grade.slow.empty() ? Text() : grade.slow.front()}));
  }
  return table;
}

Document check_report(const Class& all) {
  const auto& grade = all.grades.front();
  Text verdict = grade.submission.student + ": " + verdict_of(grade);
  if (!grade.where.empty())
    verdict += " at " + size_text(*all.assignment.workload, grade.where);
  if (grade.detail) verdict += Text(": ") + grade.detail;
  Document report{.blocks = {Paragraph{verdict}}};
  const auto next = advice(all, grade);
  if (!next.empty()) report.add(remark(next));
  return report;
}

}  // namespace parlab::grade
