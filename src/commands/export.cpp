// `parlab export`: all records as tidy CSV, for other programs.
#include <ostream>

#include "cli/command.hpp"
#include "commands/record_files.hpp"
#include "record/table.hpp"

namespace parlab {
namespace {

int export_records(const Arguments& arguments, const Streams& streams) {
  auto loaded = load_all(arguments.positional);
  const auto warnings = std::move(loaded.warnings);
  write_csv(streams.out, std::move(loaded));
  streams.warn(warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration export_command(
    {.name = "export",
     .usage = "<records>...",
     .help = "Prints the records of files or folders as one CSV, with a line "
             "for each.",
     .run = export_records,
     .least = 1,
     .needs = "a record file or a folder"});

}  // namespace
}  // namespace parlab
