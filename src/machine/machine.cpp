#include "machine/machine.hpp"

#include <cctype>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "machine/topology.hpp"

// Both set by the Makefile, where it knows them.
#ifndef PARLAB_COMMIT
#define PARLAB_COMMIT "unknown"
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

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string tidy_cpu_name(const std::string& name) {
  std::string text = name.substr(0, name.find('@'));
  for (const std::string mark : {"(R)", "(r)", "(TM)", "(tm)", "(C)"}) {
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark)) {
      text.replace(at, mark.size(), 1, ' ');
    }
  }
  std::string tidy;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word.find("-Core") != word.npos) break;  // "64-Core Processor": the cores are said apart
    if (word == "CPU") continue;
    tidy += (tidy.empty() ? "" : " ") + word;
  }
  return tidy;
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
    const auto colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string key = trimmed(line.substr(0, colon));
    // x86 says "model name", some others "cpu model" or "Processor".
    if (key == "model name" || key == "cpu model" || key == "Processor") {
      const std::string model = trimmed(line.substr(colon + 1));
      if (!model.empty()) return model;
    }
  }
  return "unknown CPU";
}

Run describe_run(const std::string& command, const std::string& gpu, const std::string& driver,
                 const std::string& cuda) {
  Run run;
  run.id = unique_id();
  run.date = utc_now("%Y-%m-%dT%H:%M:%SZ");
  run.command = command;
  run.commit = PARLAB_COMMIT;  // of the build: what lies beside a binary may be another version
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
