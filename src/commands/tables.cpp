// `parlab tables`: the tables of an experiment, from a database of its
// records, as text.
#include <ostream>

#include "cli/command.hpp"
#include "commands/experiment_tables.hpp"
#include "core/text.hpp"
#include "render/words.hpp"
#include "report/text_table.hpp"

namespace parlab {
namespace {

constexpr std::size_t line_width = 100;

void print_lines(std::ostream& out, const std::string& text) {
  for (const auto& line : wrap(text, line_width))
    out << line << '\n';
}

void print(std::ostream& out, const Table& table) {
  std::vector<TextTable::Column> columns;
  for (const auto& column : table.columns)
    columns.push_back({.title = column.title});
  TextTable text(std::move(columns));
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const auto& cell : row.cells)
      cells.push_back(cell.text.empty() ? "-" : words(cell.text));
    text.add(std::move(cells));
  }
  print_lines(out, words(table.title));
  text.print(out, 1000);
}

int print_tables(const Arguments& arguments, const Streams& streams) {
  const auto document =
      experiment_tables(arguments.positional.at(0), arguments.positional.at(1));
  streams.out << document.title << '\n';
  for (const auto& block : document.blocks) {
    streams.out << '\n';
    if (const auto* table = std::get_if<Table>(&block)) {
      print(streams.out, *table);
    } else if (const auto* paragraph = std::get_if<Paragraph>(&block)) {
      print_lines(streams.out, words(paragraph->text));
    }
  }
  return EXIT_SUCCESS;
}

const CommandRegistration tables_command(
    {.name = "tables",
     .usage = "<database> scripts/NAME/tables.sql",
     .help = "Prints the tables of an experiment from a database of its "
             "records.",
     .run = print_tables,
     .least = 2,
     .needs =
         "a database and questions: tables FILE.db scripts/NAME/tables.sql",
     .hidden = true});

}  // namespace
}  // namespace parlab
