// parlab runs one computation on every backend, and verifies and measures all
// with one method.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "cli/command.hpp"
#include "core/name.hpp"
#include "core/startup.hpp"
#include "render/words.hpp"
#include "report/console.hpp"

namespace {

using namespace parlab;

constexpr int usage_error = 2;

int say(const std::exception& error, int status) {
  std::cerr << "parlab: " << printable(words(detail_of(error))) << std::endl;
  return status;
}

bool has_children() {
  siginfo_t ended;
  return waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0;
}

// Variants are linked in, and some of their code may run before main(). This
// runs earlier and makes orphaned grandchildren children of this process.
bool had_children = false;
[[gnu::section(".preinit_array"), gnu::used]] void (*const first)() = [] {
  had_children = has_children();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
};

// Ends processes that a variant started, so that none runs beside the next
// variant.
void end_children() {
  while (!had_children && has_children()) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream stat(entry.path() / "stat");
      std::string text;
      std::getline(stat, text);
      // "17 (any name) S 16 ...": the last number is the parent
      const auto end_of_name = text.rfind(") ");
      if (end_of_name == std::string::npos) continue;
      if (std::atoi(text.c_str() + end_of_name + 4) == getpid())
        kill(std::atoi(text.c_str()), SIGKILL);
    }
    while (waitpid(-1, nullptr, WNOHANG) > 0)
      continue;
  }
}

}  // namespace

int main(int argc, char** argv) {
  start_well();
  try {
    end_children();
    const auto arguments =
        read_arguments({argv, argv + argc}, environment_of_process());
    const Streams streams{std::cout, std::cerr, looks_of(STDOUT_FILENO)};
    if (!arguments.command->warns) streams.warn(arguments.warnings);
    const int status = call(arguments, streams);
    if (!std::cout.flush())
      throw std::runtime_error("the output could not be written completely");
    return status;
  } catch (const UsageError& error) {
    return say(error, usage_error);
  } catch (const std::filesystem::filesystem_error& error) {
    return say(std::runtime_error(error.path1().string() + ": " +
                                  error.code().message()),
               EXIT_FAILURE);
  } catch (const std::exception& error) {
    return say(error, EXIT_FAILURE);
  }
}
