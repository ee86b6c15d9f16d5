// A temporary folder for a test, and the contents of its files.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "core/file.hpp"

namespace parlab::testing {

// Empty at first; deleted with its contents when the test is over.
struct Folder : Temporary {
  Folder() : Temporary(new_temporary_folder("parlab-test")) {}
  // Folders of the name are made.
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }

  const std::filesystem::path path = Temporary::path();
};

inline std::string content(const std::filesystem::path& path) {
  return read_file(path).value_or("");
}

}  // namespace parlab::testing
