// A folder of a test's own, and what a file in it holds.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace parlab::testing {

// Empty at first, and gone with all that is in it when the test is over.
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
