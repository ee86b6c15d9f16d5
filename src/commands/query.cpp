// `parlab query`: what one SELECT finds in a database of records.
#include <ostream>

#include "cli/command.hpp"
#include "commands/sqlite.hpp"
#include "core/file.hpp"

namespace parlab {
namespace {

// A line per row, its cells separated by tabs.
int query_database(const Arguments& arguments, const Streams& streams) {
  const auto& words = arguments.positional;
  require_regular(words[0], "query:");
  Database database(words[0], Database::Access::read);
  const auto answer = database.ask(words[1], {words.begin() + 2, words.end()});
  for (const auto& cells : answer.rows) {
    for (const auto& cell : cells)
      streams.out << (&cell == &cells.front() ? "" : "\t") << cell.text;
    streams.out << '\n';
  }
  return EXIT_SUCCESS;
}

const CommandRegistration query_command(
    {.name = "query",
     .usage = "<database> <SQL> [<text>...]",
     .help = "Prints what a question to a database of records answers; each "
             "text is bound to a ?.",
     .run = query_database,
     .least = 2,
     .needs = "a database and SQL: query FILE.db 'SELECT ...' [TEXT...]",
     .hidden = true});

}  // namespace
}  // namespace parlab
