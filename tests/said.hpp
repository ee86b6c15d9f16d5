// A command as it is typed, and its output.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace parlab::testing {

struct Said {
  int status;
  std::string out, messages;
};

inline Said said_by(std::vector<std::string> words,
                    const Environment& environment = {}) {
  words.insert(words.begin(), "bin/parlab");
  const auto arguments = read_arguments(words, environment);
  std::ostringstream out, messages;
  const int status = call(arguments, {out, messages});
  return {status, out.str(), messages.str()};
}

}  // namespace parlab::testing
