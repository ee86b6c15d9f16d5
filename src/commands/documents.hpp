// Documents that a file of their own makes for a command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "facts/document.hpp"
#include "grade/grading.hpp"

namespace parlab {

// Runs the queries of a file on the experiment's database. A line "-- note:
// TEXT" is printed above the tables; one SELECT follows "-- table: TITLE"; "--
// " lines below continue either. A column "time [s]" has quantities of that
// unit, in SI units; columns "low" and "high" after it are the ends of its
// interval. The last line says how many times the audit rejects. Throws
// UsageError, or std::runtime_error if SQLite fails.
Document experiment_tables(const std::string& database,
                           const std::string& file);

namespace page {

// A graded class as pages: one for everybody, and one per student. anonymous:
// numbers instead of names, in the order of the results, and no links to
// students' pages.
Document class_page(const grade::Class& all, bool anonymous);
Document student_page(const grade::Class& all, const grade::Grade& grade);

// Ranks the results of several people on one page. Each folder is a person's
// records, with the person's name, or a graded class, which has grades.csv.
// Ranks compare times from machines of one name, at the size that most of these
// have. Sources are shown if they lie beside the records, or in sources/ of
// either. Throws UsageError for a folder that has neither.
// warnings: who has no rank.
Document leaderboard(const std::vector<std::filesystem::path>& folders,
                     std::vector<std::string>& warnings);

}  // namespace page
}  // namespace parlab
