// Starts another program and waits for it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parlab {

// The text that a program printed on both streams. It is valid only if the
// program succeeded.
struct Output {
  std::string text;
  bool succeeded;
};

// words: the path of the program and its arguments, passed on without a shell.
// environment: additional variables. Variables of this process that change the
// behaviour of other programs are removed (core/foreign_variables.inc), and the
// locale is set to a known one. Throws std::system_error when the program
// cannot be started.
Output output_of(std::vector<std::string> words,
                 const std::map<std::string, std::string>& environment = {});

// Pointers to the words, which must outlive them, and a null pointer.
std::vector<char*> as_c(std::vector<std::string>& words);

// The path of a program in a folder of PATH, or else of `more`; "" if it is in
// none.
std::string path_of_program(
    const std::string& name,
    const std::vector<std::filesystem::path>& more = {});

// The path of this program's file. Throws UsageError on a system without /proc.
std::filesystem::path this_program();

}  // namespace parlab
