// parlab: one computation on every backend, verified and
// measured with one method.
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "cli/command.hpp"
#include "core/name.hpp"
#include "core/startup.hpp"
#include "render/words.hpp"

namespace {

using namespace parlab;

constexpr int usage_error = 2;

int say(const std::exception& error, int status) {
  std::cerr << "parlab: " << printable(words(detail_of(error))) << std::endl;
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  start_well();
  try {
    const auto arguments =
        read_arguments({argv, argv + argc}, environment_of_process());
    const Streams streams{std::cout, std::cerr};
    if (!arguments.command->warns) streams.warn(arguments.warnings);
    const int status = arguments.command->run(arguments, streams);
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
