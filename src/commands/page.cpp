#include "commands/page.hpp"

#include "core/file.hpp"
#include "core/name.hpp"
#include "page/page.hpp"

namespace parlab {
namespace {

void require_records(const std::string& folder,
                     const page::Measured& measured) {
  if (!measured.entries.empty() || !measured.failed.empty() ||
      !measured.warnings.empty())
    return;
  throw UsageError("no records in '" + folder +
                   "': results/MACHINE is a folder that has some");
}

}  // namespace

std::vector<std::string> write_page(const PageRequest& request) {
  const auto measured = page::load_machine(request.folders.at(0));
  require_records(request.folders.at(0), measured);
  write_file(request.output, page::machine_page(measured, request.figures));
  return measured.warnings;
}

std::vector<std::string> write_index(const PageRequest& request) {
  std::vector<page::Measured> machines;
  std::vector<std::string> warnings;
  for (const auto& folder : request.folders) {
    auto measured = page::load_machine(folder);
    if (!is_name(measured.folder)) {
      warnings.push_back(folder + ": " + name_rule + ", skipped");
      continue;
    }
    // results/published is among results/*, and no machine.
    if (!measured.experiments.empty()) machines.push_back(std::move(measured));
  }
  if (machines.empty())
    throw UsageError("index: no records in any of these folders");
  write_file(request.output, page::index_page(machines));
  for (const auto& machine : machines) {
    warnings.insert(warnings.end(), machine.warnings.begin(),
                    machine.warnings.end());
  }
  return warnings;
}

}  // namespace parlab
