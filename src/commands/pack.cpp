// `parlab pack`: record files in a sixth of their bytes.
#include <filesystem>
#include <ostream>

#include "cli/command.hpp"
#include "commands/record_files.hpp"
#include "core/numbers.hpp"
#include "record/packed.hpp"

namespace parlab {
namespace {

int pack_files(const Arguments& arguments, const Streams& streams) {
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> files;
  for (const auto& name : arguments.positional) {
    const std::filesystem::path path = record_path(name);
    if (!std::filesystem::is_directory(path)) {
      files.push_back(plain_path(path));
      continue;
    }
    const auto found = record_files(path, Depth::below, warnings);
    files.insert(files.end(), found.begin(), found.end());
  }
  for (const auto& file : files) {
    const auto packed = pack_records(file);
    streams.out << packed_path(file).string() << ": "
                << bytes_with_unit(static_cast<double>(packed.bytes))
                << std::endl;
    warnings.insert(warnings.end(), packed.warnings.begin(),
                    packed.warnings.end());
  }
  streams.warn(warnings);
  return EXIT_SUCCESS;
}

const CommandRegistration pack_command(
    {.name = "pack",
     .usage = "<records>...",
     .help = "Packs record files, or all of a folder or machine. x.jsonl.zst, "
             "a sixth as large, takes the place of x.jsonl, is read by that "
             "name, and says the same. New records are appended to x.jsonl "
             "beside it.",
     .run = pack_files,
     .least = 1,
     .needs = "a record file or a folder: results/MACHINE"});

}  // namespace
}  // namespace parlab
