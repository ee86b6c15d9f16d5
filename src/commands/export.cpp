// `parlab export`: all records for other programs, as tidy CSV, as they are
// stored, or in another program's format.
#include <ostream>

#include "commands/exchange.hpp"
#include "commands/record_files.hpp"
#include "record/json.hpp"
#include "record/table.hpp"

namespace parlab {
namespace {

int export_records(const Arguments& arguments, const Streams& streams) {
  const auto format =
      format_of(arguments, {"csv", "json", "google-benchmark", "openmetrics"});
  auto loaded = load_all(arguments.positional);
  const auto warnings = std::move(loaded.warnings);
  if (format == "csv") {
    write_csv(streams.out, std::move(loaded));
  } else if (format == "google-benchmark") {
    write_google_benchmark(streams.out, loaded);
  } else if (format == "openmetrics") {
    write_openmetrics(streams.out, loaded);
  } else {
    for (const auto& record : latest(std::move(loaded.records)))
      streams.out << to_json_line(record) << '\n';
  }
  streams.warn(warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration export_command(
    {.name = "export",
     .usage = "<records>... [options]",
     .help = "Prints the records of files or folders as one CSV, with a line "
             "for each, or in the form of another program.",
     .options =
         [] {
           return Options{{.flag = "format",
                           .variable = "PARLAB_FORMAT",
                           .argument = "NAME",
                           .help = "csv, json, google-benchmark, openmetrics"}};
         },
     .run = export_records,
     .least = 1,
     .needs = "a record file or a folder"});

}  // namespace
}  // namespace parlab
