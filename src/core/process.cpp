#include "core/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <system_error>

#include "core/types.hpp"

namespace parlab {
namespace {

void must_work(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

bool is_foreign(std::string_view name) {
  static constexpr std::string_view patterns[] = {
#include "core/foreign_variables.inc"
  };
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    return pattern.ends_with('*')
               ? name.starts_with(pattern.substr(0, pattern.size() - 1))
               : name == pattern;
  });
}

// The given variables and those of this process that they do not replace.
std::vector<std::string> joined(
    std::map<std::string, std::string> environment) {
  environment.emplace("LC_ALL", "C.UTF-8");
  std::vector<std::string> all;
  for (const auto& [name, value] : environment)
    all.push_back(name + "=" + value);
  for (char** own = environ; *own != nullptr; ++own) {
    const std::string variable(*own);
    const auto name = variable.substr(0, variable.find('='));
    if (environment.count(name) == 0 && !is_foreign(name))
      all.push_back(variable);
  }
  return all;
}

std::string read_to_the_end(int from) {
  std::string text;
  std::array<char, 4096> part;
  while (true) {
    const ssize_t count = read(from, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

std::vector<char*> as_c(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Output output_of(std::vector<std::string> words,
                 const std::map<std::string, std::string>& environment) {
  const std::string name = words.front();
  auto variables = joined(environment);
  std::array<int, 2> ends;  // the two ends of a pipe
  must_work(pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno, "making a pipe");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_adddup2(&files, ends[1], stream);
  pid_t child = 0;
  const int error = posix_spawn(&child, name.c_str(), &files, nullptr,
                                as_c(words).data(), as_c(variables).data());
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  auto output = error == 0 ? read_to_the_end(ends[0]) : std::string();
  close(ends[0]);
  must_work(error, "starting " + name);
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  return {output, status == 0};
}

std::string path_of_program(const std::string& name,
                            const std::vector<std::filesystem::path>& more) {
  std::vector<std::filesystem::path> folders;
  const char* const variable = std::getenv("PATH");
  std::istringstream all(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(all, folder, ':');)
    folders.emplace_back(folder);
  folders.insert(folders.end(), more.begin(), more.end());
  for (const auto& folder : folders) {
    const auto path = folder / name;
    std::error_code unreadable;
    if (std::filesystem::is_regular_file(path, unreadable) &&
        access(path.c_str(), X_OK) == 0)
      return path.string();
  }
  return "";
}

std::filesystem::path this_program() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return program;
  throw UsageError(
      "this program has to start itself again and finds itself through /proc, "
      "which is missing: mount -t proc proc /proc");
}

}  // namespace parlab
