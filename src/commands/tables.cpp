// `parlab tables`: the tables of an experiment, from a database of its records.

#include "cli/command.hpp"
#include "commands/experiment_tables.hpp"
#include "render/formats.hpp"

namespace parlab {
namespace {

int print_tables(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "json"});
  const auto document =
      experiment_tables(arguments.positional.at(0), arguments.positional.at(1));
  streams.print(document, format);
  return EXIT_SUCCESS;
}

const CommandRegistration tables_command(
    {.name = "tables",
     .usage = "<database> scripts/NAME/tables.sql",
     .help = "Prints the tables of an experiment from a database of its "
             "records.",
     .options = [] { return run_options({"format"}); },
     .run = print_tables,
     .least = 2,
     .needs =
         "a database and questions: tables FILE.db scripts/NAME/tables.sql",
     .hidden = true});

}  // namespace
}  // namespace parlab
