// Lets a test run itself again in a fresh process.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace parlab::testing {

constexpr const char* for_worker = "PARLAB_TEST_AGAIN";

// test: "suite/name". The test finds `file` in the variable. with: a command
// that starts it. Returns its exit status, or -1 if a signal ended it.
inline int run_again(const std::string& test, const std::string& file,
                     const std::string& with = "") {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto command = std::string(for_worker) + "='" + file + "' " + with +
                       " '" + self + "' --run_test=" + test + " >/dev/null";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace parlab::testing
