#include "commands/page.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "page/page.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

// Another file until it is complete: whoever reads the page never sees half of it.
void write_file(const fs::path& path, const std::string& text) {
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  const fs::path part = path.string() + ".part";
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + part.string());
  fs::rename(part, path);
}

}  // namespace

std::vector<std::string> write_page(const PageRequest& request) {
  const auto measured = page::load_machine(request.folders.at(0));
  write_file(request.output, page::machine_page(measured, request.figures));
  return measured.warnings;
}

std::vector<std::string> write_index(const PageRequest& request) {
  std::vector<page::Measured> machines;
  for (const auto& folder : request.folders) {
    auto measured = page::load_machine(folder);
    // results/published is among results/*, and no machine.
    if (!measured.experiments.empty()) machines.push_back(std::move(measured));
  }
  write_file(request.output, page::index_page(machines));
  std::vector<std::string> warnings;
  for (const auto& machine : machines) {
    warnings.insert(warnings.end(), machine.warnings.begin(), machine.warnings.end());
  }
  return warnings;
}

}  // namespace parlab
