// Files that are read or written as a whole or not at all, or line by line.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace parlab {

// A file, or a folder with all that is in it, which goes with the object.
class Temporary {
 public:
  explicit Temporary(std::filesystem::path path) : path_(std::move(path)) {}
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// An empty folder of a new name that begins so, where temporary files lie:
// in $TMPDIR, or in /tmp where that is no folder.
std::filesystem::path new_temporary_folder(const std::string& name);

// Calls write with the path of another file in the same folder, which
// then takes the place of the one that is meant: nobody sees half of it,
// and when anything fails the old one stays and nothing is left behind.
// Makes the folder. Throws UsageError when path is there and no regular
// file (a folder, a device, a symbolic link), and std::runtime_error
// when the file cannot be written.
void write_beside(
    const std::filesystem::path& path,
    const std::function<void(const std::filesystem::path& part)>& write);

// The same with a text that is ready.
void write_file(const std::filesystem::path& path, const std::string& text);

// Adds a line to a file, which is made where there is none, together with its
// folder. Lines that several processes add stay whole. Throws
// std::runtime_error.
void append_line(const std::filesystem::path& path, const std::string& line);

// Where results/, plots/ and grades/ lie when nobody says where: here; of an
// installed program in a folder of the user's own, $XDG_DATA_HOME/parlab, as
// for scripts/environment.sh.
std::filesystem::path base_folder();

// All of it; nothing when it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

// Whether anything is there. Throws UsageError when the system does not say,
// with its reason: no permission is not absence.
bool is_there(const std::filesystem::path& path);

// Throws UsageError naming what it is, unless path is a regular file or
// nothing yet; name: the option that gave it, "--results".
void require_regular(const std::filesystem::path& path,
                     const std::string& name);

// A text file that somebody wrote, with any editor; see plain_text(). Throws
// UsageError.
std::string read_text(const std::filesystem::path& path,
                      const std::string& name);

}  // namespace parlab
