#include "driver/page.hpp"

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
  const auto measured = page::load_machine(request.folder);
  write_file(request.output, page::machine_page(measured, request.figures));
  return measured.warnings;
}

}  // namespace parlab
