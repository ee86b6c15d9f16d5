// Lines of source files, to be shown beside other data.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace parlab {

class SourceText {
 public:
  // The line without its indentation; empty if there is no such line.
  std::string line(const std::string& file, unsigned number) {
    auto& lines = files_[file];
    if (lines.empty()) {
      std::ifstream in(file);
      lines.emplace_back();
      for (std::string line; std::getline(in, line);)
        lines.push_back(std::move(line));
    }
    if (number >= lines.size()) return "";
    const auto& all = lines[number];
    const auto first = all.find_first_not_of(" \t");
    return first == all.npos ? "" : all.substr(first);
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

inline std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace parlab
