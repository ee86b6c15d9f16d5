// Limits that a container or a batch system sets to this process: its
// control group and all above.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parlab {

// The folders of the control groups that a controller ("memory", "cpu")
// limits this process by, its own first and the root last; of version
// 2 or 1, whichever is mounted.
std::vector<std::filesystem::path> control_groups(
    const std::string& controller);

// The same for a text of /proc/PID/cgroup and a folder in
// place of /sys/fs/cgroup.
std::vector<std::filesystem::path> control_groups(
    const std::string& controller, std::istream& proc_cgroup,
    const std::filesystem::path& mounted);

}  // namespace parlab
