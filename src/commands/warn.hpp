// Warnings of all commands, on standard error.
#pragma once

#include <iostream>
#include <string>
#include <vector>

namespace parlab {

inline void warn(const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) std::cerr << "parlab: warning: " << warning << std::endl;
}

}  // namespace parlab
