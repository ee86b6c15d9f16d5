// `parlab pack`: compresses record files to a sixth of their size.
#include <algorithm>
#include <filesystem>

#include "commands/record_files.hpp"
#include "record/packed.hpp"
#include "render/formats.hpp"
#include "render/words.hpp"

namespace parlab {
namespace {

int pack_files(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "json"});
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> files;
  for (const auto& name : arguments.positional) {
    const std::filesystem::path path = record_path(name);
    if (!std::filesystem::is_directory(path)) {
      files.push_back(plain_path(path));
      continue;
    }
    const auto found = record_files(path, Depth::below, warnings);
    if (found.empty()) throw UsageError("no records in '" + name + "'");
    files.insert(files.end(), found.begin(), found.end());
  }
  for (const auto& file : files) {
    const auto packed = pack_records(file);
    const Text path = packed_path(file).string();
    const auto size = quantity(packed.bytes, Unit::byte);
    const Table line{.key = "packed",
                     .columns = keyed({"file", "bytes"}),
                     .rows = {row_of({path, size})}};
    streams.out << (format == "json" ? json_lines(line)
                                     : words(path + ": " + size) + "\n")
                << std::flush;
    std::ranges::copy(packed.warnings, std::back_inserter(warnings));
  }
  streams.warn(warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration pack_command(
    {.name = "pack",
     .usage = "<records>... [options]",
     .help = "Packs record files, or all of a folder or machine. x.jsonl.zst, "
             "a sixth as large, takes the place of x.jsonl, is read by that "
             "name, and says the same. New records are appended to x.jsonl "
             "beside it.",
     .options = [] { return format_option("table, json"); },
     .run = pack_files,
     .least = 1,
     .needs = "a record file or a folder: results/MACHINE"});

}  // namespace
}  // namespace parlab
