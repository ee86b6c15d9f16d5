// A temporary folder for a test, and the contents of its files.
#pragma once

#include <filesystem>
#include <string>

#include "core/file.hpp"

namespace parlab::testing {

// Empty at first; deleted with its contents when the test is over.
struct Folder : Temporary {
  Folder() : Temporary(new_temporary_folder("parlab-test")) {}

  const std::filesystem::path path = Temporary::path();
};

inline std::string content(const std::filesystem::path& path) {
  return read_file(path).value_or("");
}

}  // namespace parlab::testing
