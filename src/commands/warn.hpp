// Warnings of all commands, on standard error.
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "core/name.hpp"

namespace parlab {

inline void warn(const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) {
    std::cerr << "parlab: warning: " << printable(warning) << std::endl;
  }
}

}  // namespace parlab
