// `parlab query`: what one SELECT finds in a database of records.
#include <algorithm>
#include <ostream>

#include "cli/run_options.hpp"
#include "commands/sqlite.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "render/json.hpp"

namespace parlab {
namespace {

using Words = std::vector<std::string>;

void print_aligned(std::ostream& out,
                   const Words& titles,
                   const std::vector<Words>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    std::size_t width = titles[i].size();
    for (const auto& row : rows)
      width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  const auto print = [&](const Words& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out << (i == 0 ? "" : "  ") << row[i]
          << std::string(widths[i] - row[i].size(), ' ');
    }
    out << '\n';
  };
  Words lines;
  for (const auto width : widths)
    lines.emplace_back(width, '-');
  print(titles);
  print(lines);
  for (const auto& row : rows)
    print(row);
}

Text text_of(const SqlCell& cell) {
  if (cell.kind != SqlCell::Kind::number) return cell.text;
  const bool whole =
      cell.text.find_first_not_of("-0123456789") == std::string::npos;
  if (whole) return std::int64_t{std::stoll(cell.text)};
  return Quantity{std::stod(cell.text)};
}

Table table_of_answer(const SqlAnswer& answer) {
  Table table{.key = "row"};
  for (const auto& column : answer.columns)
    table.columns.push_back({.key = column});
  for (const auto& cells : answer.rows) {
    auto& row = table.rows.emplace_back();
    for (const auto& cell : cells)
      row.cells.push_back({.text = text_of(cell)});
  }
  return table;
}

// A line per row, its cells separated by tabs, or, aligned, below their
// titles.
int query_database(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"csv", "table", "json"});
  const bool aligned = format == "table";
  const auto& words = arguments.positional;
  require_regular(words[0], "query:");
  Database database(words[0], Database::Access::read);
  const auto answer = database.ask(words[1], {words.begin() + 2, words.end()});
  if (format == "json") {
    streams.out << json_lines(table_of_answer(answer));
    return EXIT_SUCCESS;
  }
  std::vector<Words> rows;
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
