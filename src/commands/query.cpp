// `parlab query`: the result of one SELECT on a database of records.

#include "cli/command.hpp"
#include "commands/sqlite.hpp"
#include "core/file.hpp"
#include "render/formats.hpp"

namespace parlab {
namespace {

Table table_of_answer(const SqlAnswer& answer) {
  Table table{.key = "row"};
  for (const auto& column : answer.columns)
    table.columns.push_back({.key = column, .title = column});
  for (const auto& cells : answer.rows) {
    auto& row = table.add({});
    for (const auto& cell : cells)
      row.cells.emplace_back(text_of(cell));
  }
  return table;
}

// As csv, one line per row with cells separated by tabs, as gnuplot reads them.
int query_database(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"csv", "table", "json"});
  const auto& words = arguments.positional;
  require_regular(words[0], "query:");
  Database database(words[0], Database::Access::read);
  const auto answer = database.ask(words[1], {words.begin() + 2, words.end()});
  if (format != "csv") {
    streams.print(table_of_answer(answer), format);
    return EXIT_SUCCESS;
  }
  for (const auto& row : answer.rows) {
    for (const auto& cell : row)
      streams.out << (&cell == &row.front() ? "" : "\t") << cell.text;
    streams.out << '\n';
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
     .needs = "a database and SQL: query FILE.db 'SELECT ...' [TEXT...]"});

}  // namespace
}  // namespace parlab
