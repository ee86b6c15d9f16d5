#include "machine/cgroup.hpp"

#include <fstream>

namespace parlab {

namespace fs = std::filesystem;

std::vector<fs::path> control_groups(const std::string& controller,
                                     std::istream& proc_cgroup,
                                     const fs::path& mounted) {
  // Lines are "0::/slice/job" in version 2 and "4:cpu,cpuacct:/slice/job" in
  // version 1.
  fs::path root = mounted, own = "/";
  for (std::string line; std::getline(proc_cgroup, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string names =
        "," + line.substr(first + 1, second - first - 1) + ",";
    if (names == ",,") {
      own = line.substr(second + 1);
    } else if (names.find("," + controller + ",") != names.npos) {
      root = mounted / controller;
      own = line.substr(second + 1);
      break;
    }
  }
  std::vector<fs::path> folders;
  // Inside a container the process's own group is the root, and the path above
  // it does not exist.
  for (fs::path at = own.relative_path(); !at.empty(); at = at.parent_path()) {
    std::error_code ignored;
    if (fs::exists(root / at, ignored)) folders.push_back(root / at);
  }
  folders.push_back(root);
  return folders;
}

std::vector<fs::path> control_groups(const std::string& controller) {
  std::ifstream own("/proc/self/cgroup");
  return control_groups(controller, own, "/sys/fs/cgroup");
}

}  // namespace parlab
