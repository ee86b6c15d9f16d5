// Another program, started and waited for.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace parlab {

// words: the path of the program, then its arguments, which no shell reads.
// environment: variables besides those of this process. Returns what it
// printed, on both streams. Throws std::system_error when it cannot be started.
std::string output_of(
    std::vector<std::string> words,
    const std::map<std::string, std::string>& environment = {});

}  // namespace parlab
