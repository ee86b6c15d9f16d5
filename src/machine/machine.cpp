#include "machine/machine.hpp"

#include <cctype>
#include <sstream>
#include <string>

namespace parlab {
namespace {

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

}  // namespace parlab
