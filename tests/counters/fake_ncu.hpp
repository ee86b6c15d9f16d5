// A script in place of ncu.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "folder.hpp"

namespace parlab::testing {

// While it lives, PATH is only this folder, and ncu in it is this script.
struct FakeNcu : Folder {
  explicit FakeNcu(const std::string& script) : before(std::getenv("PATH")) {
    write("ncu", "#!/bin/sh\n" + script);
    std::filesystem::permissions(path / "ncu",
                                 std::filesystem::perms::owner_all);
    setenv("PATH", path.c_str(), 1);
  }
  ~FakeNcu() { setenv("PATH", before.c_str(), 1); }
  std::string before;
};

}  // namespace parlab::testing
