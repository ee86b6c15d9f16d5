#include "grade/grading.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/text.hpp"

namespace parlab::grade {
namespace {

Text rank_of(const Grade& grade) {
  return grade.rank > 0 ? Text(grade.rank) : Text();
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

std::vector<Cell> cells_of(const Class& all, const Grade& grade) {
  const auto rank = rank_of(grade);
  const auto& student = grade.submission.student;
  if (grade.passed() && grade.timed) {
    return {rank,
            student,
            grade.verdict,
            time_of(grade),
            fraction_of(relative_half_width(grade.time)),
            to_reference(grade),
            fraction_of(grade.of_roof),
            points_of(all, grade)};
  }
  const Text where =
      grade.where.empty()
          ? ""
          : "at " + size_text(*all.assignment.workload, grade.where) + ": ";
  return {rank, student, grade.verdict,
          where + (grade.detail ? Text(grade.detail) : Text())};
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

}  // namespace

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

Text points_of(const Class& all, const Grade& grade) {
  if (grade.verdict == Verdict::unverified) return {};
  if (!grade.passed()) return 0;
  if (!all.timed() || !grade.timed) return {};
  return Quantity{std::round(10 * grade.points) / 10};
}

Text sectors_per_request(const Grade& grade) {
  double requests = 0, sectors = 0;
  for (const auto& line : grade.counted.value_or(Counted{}).lines) {
    if (line.access != Access::global_load) continue;
    requests += static_cast<double>(line.requests);
    sectors += static_cast<double>(line.moved);
  }
  return requests > 0 ? Text(Quantity{sectors / requests}) : Text();
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
    table.add(cells_of(all, *grade));
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
    const int registers = grade.timed ? grade.timed->launch.registers : 0;
    const bool known = registers > 0;
    table.add({grade.submission.student, points_of(all, grade), grade.verdict,
               rank_of(grade),
               to_string(grade.timed ? grade.timed->size : grade.where),
               time_of(grade), to_reference(grade), fraction_of(grade.of_roof),
               known ? Text(registers) : Text(),
               known ? fraction_of(grade.timed->launch.occupancy) : Text(),
               grade.detail ? Text(grade.detail) : Text(),
               all.assignment.workload->name(), all.assignment.dtype,
               all.machine, sectors_per_request(grade),
               grade.slow.empty() ? Text() : grade.slow.front()});
  }
  return table;
}

Document check_report(const Class& all) {
  const auto& grade = all.grades.front();
  Text verdict = grade.submission.student + ": " + Text(grade.verdict);
  if (!grade.where.empty())
    verdict += " at " + size_text(*all.assignment.workload, grade.where);
  if (grade.detail) verdict += Text(": ") + grade.detail;
  return {.blocks = {Paragraph{verdict}, remark(advice(all, grade))}};
}

}  // namespace parlab::grade
