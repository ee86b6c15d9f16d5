#include "core/file.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "core/name.hpp"
#include "core/types.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

bool is_free_or_regular(const fs::file_status& status) {
  return status.type() == fs::file_type::not_found ||
         fs::is_regular_file(status);
}

// Writes buffered data to the disk, which can still fail.
void flush(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file < 0 || ::fsync(file) != 0)
    throw std::system_error(errno, std::generic_category());
}

}  // namespace

const char* kind_of(fs::file_type type) {
  return type == fs::file_type::directory   ? "a folder"
         : type == fs::file_type::symlink   ? "a symbolic link"
         : type == fs::file_type::character ? "a device"
         : type == fs::file_type::block     ? "a device"
         : type == fs::file_type::fifo      ? "a pipe"
         : type == fs::file_type::socket    ? "a socket"
                                            : "no regular file";
}

Temporary::~Temporary() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path new_temporary_folder(const std::string& name) {
  std::error_code none;
  auto in = fs::canonical(fs::temp_directory_path(none), none);
  if (none) in = "/tmp";
  auto path = (in / (name + "-XXXXXX")).string();
  if (mkdtemp(path.data()) != nullptr) return path;
  throw std::system_error(
      errno, std::generic_category(),
      "making a folder in " + in.string() + " (TMPDIR names another)");
}

void make_folder(const fs::path& folder) {
  if (folder.empty()) return;
  const auto whole = (fs::absolute(folder) / "").lexically_normal();
  const auto base = (fs::current_path() / base_folder()).lexically_normal();
  const auto first = *whole.lexically_relative(base).begin();
  const bool own = first == "results" || first == "plots" ||
                   first == "grades" || first == "build";
  const auto above = whole.parent_path().parent_path();
  std::error_code unknown;
  if (!own && !fs::exists(above, unknown) && !unknown) {
    throw UsageError("'" + folder.string() + "': the folder " + above.string() +
                     " does not exist; make it first");
  }
  fs::create_directories(folder);
}

fs::path base_folder() {
  std::error_code ignored;
  const auto program = fs::read_symlink("/proc/self/exe", ignored);
  const auto tree = program.parent_path().parent_path();
  if (fs::exists(tree / "Makefile", ignored) ||
      !fs::exists(tree / "scripts/environment.sh", ignored)) {
    return {};
  }
  for (const auto& [variable, below] :
       {std::pair("XDG_DATA_HOME", "parlab"),
        std::pair("HOME", ".local/share/parlab")}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value == '/') return fs::path(value) / below;
  }
  return {};
}

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return boost::trim_copy(line);
}

std::optional<double> number_of_file(const fs::path& path,
                                     const std::string& name) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream text(line);
    std::string key;
    double value = 0;
    if (!name.empty()) text >> key;
    if (key == name && text >> value) return value;
    if (name.empty()) break;
  }
  return std::nullopt;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

std::optional<std::string> read_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

bool is_there(const fs::path& path) {
  std::error_code why;
  const auto type = fs::status(path, why).type();
  if (type == fs::file_type::none)
    throw UsageError(path.string() + ": " + why.message());
  return type != fs::file_type::not_found;
}

std::string read_text(const fs::path& path, const std::string& name) {
  require_regular(path, name);
  errno = 0;
  const auto text = read_file(path);
  if (text) return plain_text(*text);
  throw UsageError(name + " " + path.string() + ": " +
                   std::strerror(errno != 0 ? errno : ENOENT));
}

void require_regular(const fs::path& path, const std::string& name) {
  std::error_code why;
  const auto status = fs::status(path, why);
  if (is_free_or_regular(status)) return;
  if (status.type() == fs::file_type::none)
    throw UsageError(name + " " + path.string() + ": " + why.message());
  throw UsageError(name + " " + path.string() + ": is " +
                   kind_of(status.type()) +
                   "; name a regular file, or one that does not exist yet");
}

void write_beside(const fs::path& path,
                  const std::function<void(const fs::path& part)>& write) {
  std::error_code why;
  // Links are not followed, because renaming would replace the link itself.
  const auto status = fs::symlink_status(path, why);
  if (!is_free_or_regular(status)) {
    throw UsageError("cannot write " + path.string() + ": " +
                     (status.type() == fs::file_type::none
                          ? why.message()
                          : std::string("it is ") + kind_of(status.type())));
  }
  // After the rename this file no longer exists.
  const Temporary part(path.string() + ".part" + std::to_string(::getpid()));
  try {
    make_folder(path.parent_path());
    write(part.path());
    flush(part.path());
    fs::rename(part.path(), path);
  } catch (const std::system_error& error) {
    throw std::runtime_error("cannot write " + path.string() + ": " +
                             error.code().message());
  }
}

void write_file(const fs::path& path, const std::string& text) {
  write_beside(path, [&](const fs::path& part) {
    errno = 0;
    std::ofstream out(part, std::ios::binary);
    out << text;
    out.close();
    if (!out)
      throw std::system_error(errno != 0 ? errno : EIO,
                              std::generic_category());
  });
}

void append_line(const fs::path& path, const std::string& line) {
  const auto fail = [&] {
    throw std::runtime_error("cannot write " + path.string() + ": " +
                             std::strerror(errno));
  };
  try {
    make_folder(path.parent_path());
  } catch (const fs::filesystem_error&) {  // open() says why
  }
  const Descriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file < 0) fail();
  // Some file systems have no locks. There, the line stays whole because one
  // call writes it.
  ::flock(file, LOCK_EX);
  std::string text = line + "\n";
  char last = '\n';
  const auto end = ::lseek(file, 0, SEEK_END);
  if (end > 0 && ::pread(file, &last, 1, end - 1) == 1 && last != '\n')
    text.insert(0, "\n");  // another writer was stopped within its line
  errno = ENOSPC;
  if (::write(file, text.data(), text.size()) != std::ssize(text) ||
      ::fsync(file) != 0)
    fail();
}

}  // namespace parlab
