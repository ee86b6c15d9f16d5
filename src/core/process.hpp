// Another program, started and waited for.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parlab {

// The text that a program printed, on both streams. It is an answer only when
// it succeeded.
struct Output {
  std::string text;
  bool succeeded;
};

// words: the path of the program, then its arguments, which no shell reads.
// environment: variables besides those of this process, of which none gets
// through that steers other programs (core/foreign_variables.inc); the locale
// is a known one. Throws std::system_error when it cannot be started.
Output output_of(std::vector<std::string> words,
                 const std::map<std::string, std::string>& environment = {});

// The file of this program. Throws UsageError on a system without /proc.
std::filesystem::path this_program();

}  // namespace parlab
