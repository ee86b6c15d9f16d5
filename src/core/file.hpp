// Files that are read or written as a whole or not at all, or line by line.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parlab {

// The number of an open file, which is closed with the object; below 0 if it
// could not be opened.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) : number_(std::exchange(other.number_, -1)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  operator int() const { return number_; }

 private:
  int number_;
};

// A file, or a folder with its content, which is removed with the object.
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

// "a folder", "a device"
const char* kind_of(std::filesystem::file_type type);

// Makes an empty folder with a new name that begins with `name`, in $TMPDIR, or
// in /tmp if that is not a folder.
std::filesystem::path new_temporary_folder(const std::string& name);

// Calls write with the path of another file in the same folder. That file is
// then renamed to `path`, so readers never see a partial file. If anything
// fails, the old file stays and the new one is removed. Calls make_folder().
// Throws UsageError when path exists and is not a regular file (a folder, a
// device, a symbolic link), and std::runtime_error when the file cannot be
// written.
void write_beside(
    const std::filesystem::path& path,
    const std::function<void(const std::filesystem::path& part)>& write);

// The same for a finished text.
void write_file(const std::filesystem::path& path, const std::string& text);

// Adds a line to a file. Makes the file and, as make_folder() does, its folder.
// Lines added by several processes stay whole. Throws std::runtime_error.
void append_line(const std::filesystem::path& path, const std::string& line);

// The default folder of results/, plots/ and grades/. That is the current
// folder; for an installed program it is $XDG_DATA_HOME/parlab, as in
// scripts/environment.sh.
std::filesystem::path base_folder();

// Makes the folder unless it exists. Throws UsageError if the folder above it
// does not exist, because the path may be mistyped. In results/, plots/,
// grades/ and build/ of base_folder() all folders are made. Throws
// std::filesystem::filesystem_error if the system refuses.
void make_folder(const std::filesystem::path& folder);

// The first line without blanks around it; empty when there is none.
std::string first_line(const std::filesystem::path& path);

// The number after a name in a file of lines "name number"; without a name, the
// number that the file begins with. Nothing if there is none.
std::optional<double> number_of_file(const std::filesystem::path& path,
                                     const std::string& name = {});

// The paths of a folder's entries, sorted; none when it cannot be read.
std::vector<std::filesystem::path> entries_of(
    const std::filesystem::path& folder);

// The whole content; nothing when the file cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

// Whether the path exists. Throws UsageError with the system's reason when the
// system does not say, because a lack of permission does not mean absence.
bool is_there(const std::filesystem::path& path);

// Throws UsageError that says what path is, unless it is a regular file or does
// not exist. name: the option that gave the path, such as "--results".
void require_regular(const std::filesystem::path& path,
                     const std::string& name);

// Reads a text file written with any editor; see plain_text(). Throws
// UsageError.
std::string read_text(const std::filesystem::path& path,
                      const std::string& name);

}  // namespace parlab
