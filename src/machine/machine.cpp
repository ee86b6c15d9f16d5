#include "machine/machine.hpp"

#include <cctype>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <regex>

#include "machine/topology.hpp"

// Both set by the Makefile, where it knows them.
#ifndef PARLAB_COMMIT
#define PARLAB_COMMIT ""
#endif
#ifndef PARLAB_FLAGS
#define PARLAB_FLAGS ""
#endif

namespace parlab {
namespace {

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, format, &utc));
}

// The date, for the reader, and enough of chance that no two runs anywhere share it.
std::string unique_id() {
  std::random_device random;
  char text[16];
  std::snprintf(text, sizeof text, "-%08x", random());
  return utc_now("%Y%m%dT%H%M%SZ") + text;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

struct Answer {
  int status = -1;   // of the command; 127 when it is not installed
  std::string line;  // its first line
};

Answer ask(const std::string& command) {
  Answer answer;
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return answer;
  char text[256];
  if (std::fgets(text, sizeof text, pipe) != nullptr) answer.line = text;
  const int status = pclose(pipe);
  if (WIFEXITED(status)) answer.status = WEXITSTATUS(status);
  while (!answer.line.empty() && answer.line.back() == '\n') answer.line.pop_back();
  return answer;
}

}  // namespace

std::string tidy_cpu_name(const std::string& name) {
  std::string text =
      std::regex_replace(name, std::regex(R"(\((R|TM|C)\))", std::regex::icase), " ");
  text = std::regex_replace(text, std::regex(R"(\s*@.*$)"), "");
  text = std::regex_replace(text, std::regex(R"(\b(CPU|[0-9]+-Core Processor)\b)"), " ");
  text = std::regex_replace(text, std::regex(R"(\s+)"), " ");
  text = std::regex_replace(text, std::regex(R"(^ | $)"), "");
  return text;
}

std::string machine_slug(const std::string& gpu, const std::string& cpu, int cores) {
  const std::string name = !gpu.empty() ? gpu
                                        : tidy_cpu_name(cpu) + " " + std::to_string(cores) +
                                              (cores == 1 ? " core" : " cores");
  std::string slug;
  for (const unsigned char c : name) {
    if (c < 128 && std::isalnum(c) != 0) {
      slug += static_cast<char>(std::tolower(c));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "unknown-machine" : slug;
}

std::string cpu_model(std::istream& cpuinfo) {
  for (std::string line; std::getline(cpuinfo, line);) {
    // x86 says "model name", some others "cpu model" or "Processor".
    static const std::regex model(R"(^(model name|cpu model|Processor)\s*:\s*(.*\S)\s*$)");
    std::smatch match;
    if (std::regex_match(line, match, model)) return match[2];
  }
  return "unknown CPU";
}

std::string source_commit() {
  const std::string built_from = PARLAB_COMMIT;
  std::error_code error;
  const auto binary = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::string git = "git -C " + shell_quoted(binary.parent_path().string());
    const Answer commit = ask(git + " describe --always --abbrev=12");
    if (commit.status == 0 && !commit.line.empty()) {
      // Records and figures are written by the very runs that this describes.
      const Answer changes =
          ask(git + " diff --quiet HEAD -- ':(top)' ':(top,exclude)results' ':(top,exclude)plots'");
      return commit.line + (changes.status == 0 ? "" : "+changes");
    }
  }
  return built_from.empty() ? "unknown" : built_from;
}

Run describe_run(const std::string& command, const std::string& gpu, const std::string& driver,
                 const std::string& cuda) {
  Run run;
  run.id = unique_id();
  run.date = utc_now("%Y-%m-%dT%H:%M:%SZ");
  run.command = command;
  run.commit = source_commit();
  std::ifstream cpuinfo("/proc/cpuinfo");
  run.cpu = cpu_model(cpuinfo);
  run.cores = physical_cores();
  run.memory_bytes = memory_bytes();
  run.machine = machine_slug(gpu, run.cpu, run.cores);
  run.gpu = gpu;
  run.driver = driver;
  run.cuda = cuda;
#ifdef __clang__
  run.compiler = __VERSION__;
#else
  run.compiler = "GCC " __VERSION__;
#endif
  run.flags = PARLAB_FLAGS;
  return run;
}

}  // namespace parlab
