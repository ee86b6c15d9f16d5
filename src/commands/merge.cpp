// `parlab merge`: the records of several jobs in one file.

#include "cluster/merge.hpp"
#include "cli/command.hpp"
#include "page/words.hpp"
#include "render/formats.hpp"

namespace parlab {
namespace {

int merge_shards(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "json"});
  const auto& paths = arguments.positional;
  const auto merged =
      merge_records(paths.front(), {paths.begin() + 1, paths.end()});
  const auto& into = paths.front();
  streams.print(
      Document{.blocks = {Paragraph{page::counted(merged.records, "record") +
                                    " into " + into},
                          Table{.key = "merged",
                                .columns = keyed({"records", "into"}),
                                .rows = {row_of({merged.records, into})}}}},
      format);
  streams.warn(merged.warnings);
  return merged.complete ? EXIT_SUCCESS : EXIT_FAILURE;
}

const CommandRegistration merge_command(
    {.name = "merge",
     .usage = "<records> <shard>... [options]",
     .help = "Appends to a record file what other files of the same machine "
             "hold and it does not, and removes them. A line that is torn is "
             "left out, with a warning. A file with other lines that cannot "
             "be read stays, with status 1. The last record of a point "
             "counts.",
     .options = [] { return format_option("table, json"); },
     .run = merge_shards,
     .least = 2,
     .needs = "a record file and what goes into it: all.jsonl shards/*.jsonl"});

}  // namespace
}  // namespace parlab
