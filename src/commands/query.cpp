// `parlab query`: what one SELECT finds in a database of records.
#include <algorithm>
#include <ostream>

#include "cli/run_options.hpp"
#include "commands/sqlite.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

namespace parlab {
namespace {

using Row = std::vector<std::string>;

void print_aligned(std::ostream& out,
                   const Row& titles,
                   const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    std::size_t width = titles[i].size();
    for (const auto& row : rows)
      width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  const auto print = [&](const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out << (i == 0 ? "" : "  ") << row[i]
          << std::string(widths[i] - row[i].size(), ' ');
    }
    out << '\n';
  };
  Row lines;
  for (const auto width : widths)
    lines.emplace_back(width, '-');
  print(titles);
  print(lines);
  for (const auto& row : rows)
    print(row);
}

// A line per row, its cells separated by tabs, or, aligned, below their
// titles.
int query_database(const Arguments& arguments, const Streams& streams) {
  const auto* format = arguments.find("format");
  // What a user prefers for tables of his own is not for the scripts that draw.
  const bool aligned = format != nullptr && format->from_command_line &&
                       format_of(arguments, {"csv", "table"}) == "table";
  const auto& words = arguments.positional;
  require_regular(words[0], "query:");
  Database database(words[0], Database::Access::read);
  const auto answer = database.ask(words[1], {words.begin() + 2, words.end()});
  std::vector<Row> rows;
  for (const auto& cells : answer.rows) {
    auto& row = rows.emplace_back();
    for (const auto& cell : cells) {
      const bool none = aligned && cell.kind == SqlCell::Kind::null;
      row.push_back(none ? "-" : cell.text);
    }
  }
  if (!aligned) {
    for (const auto& row : rows)
      streams.out << join(row, "\t") << '\n';
  } else if (!rows.empty()) {
    print_aligned(streams.out, answer.columns, rows);
  }
  return EXIT_SUCCESS;
}

const CommandRegistration query_command(
    {.name = "query",
     .usage = "<database> <SQL> [<text>...]",
     .help = "Prints what a question to a database of records answers; each "
             "text is bound to a ?.",
     .options = [] { return run_options({"format"}); },
     .run = query_database,
     .least = 2,
     .needs = "a database and SQL: query FILE.db 'SELECT ...' [TEXT...]",
     .hidden = true});

}  // namespace
}  // namespace parlab
