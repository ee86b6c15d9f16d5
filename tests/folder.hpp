// A temporary folder for a test, and the contents of its files.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace parlab::testing {

// Empty at first; deleted with its contents when the test is over.
struct Folder {
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "parlab-test-XXXXXX")
            .string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("no folder for a test: " + name);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path path;
};

inline std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace parlab::testing
