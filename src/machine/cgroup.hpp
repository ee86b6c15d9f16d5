// Limits that a container or a batch system sets for this process: those of its
// control group and of all groups above.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parlab {

// The folders of the control groups by which a controller ("memory", "cpu")
// limits this process, its own first and the root last. Version 2 or 1,
// whichever is mounted.
std::vector<std::filesystem::path> control_groups(
    const std::string& controller);

// The same for the text of /proc/PID/cgroup and a folder in place of
// /sys/fs/cgroup.
std::vector<std::filesystem::path> control_groups(
    const std::string& controller, std::istream& proc_cgroup,
    const std::filesystem::path& mounted);

}  // namespace parlab
