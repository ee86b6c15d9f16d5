// `parlab merge`: what several jobs have recorded, in one file.
#include <ostream>

#include "cli/command.hpp"
#include "cluster/merge.hpp"

namespace parlab {
namespace {

int merge_shards(const Arguments& arguments, const Streams& streams) {
  const auto& paths = arguments.positional;
  const auto merged =
      merge_records(paths.front(), {paths.begin() + 1, paths.end()});
  streams.out << merged.records << " records into " << paths.front() << '\n';
  streams.warn(merged.warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration merge_command(
    {.name = "merge",
     .usage = "<records> <shard>...",
     .help = "Appends to a record file what other files of the same machine "
             "hold and it does not, and removes them. A line that is torn is "
             "left out, with a warning. Of records of one point the last "
             "counts.",
     .run = merge_shards,
     .least = 2,
     .needs = "a record file and what goes into it: all.jsonl shards/*.jsonl"});

}  // namespace
}  // namespace parlab
