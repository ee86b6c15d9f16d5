// Finds the files of a class, as systems, editors and course platforms leave
// them.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "core/file.hpp"
#include "core/name.hpp"
#include "core/text.hpp"
#include "core/types.hpp"
#include "grade/submission.hpp"

namespace parlab::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_source = 1 << 20;

std::string lower(std::string text) {
  boost::to_lower(text, std::locale::classic());
  return text;
}

bool is_among(const std::string& word,
              std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_cuda_source(const fs::path& path) {
  return is_among(lower(path.extension()), {".cu", ".cuda"});
}

bool is_source(const fs::path& path) {
  // of C++, not of C
  if (path.extension() == ".C") return true;
  return is_cuda_source(path) ||
         is_among(lower(path.extension()),
                  {".cpp", ".cc", ".cxx", ".c++", ".cp", ".cppm"});
}

// Whether a system, an editor, an unpacker or a compiler added the file.
bool is_litter(const fs::path& path) {
  const auto name = lower(path.filename());
  return name.starts_with('.') || name.starts_with("~$") ||
         name.starts_with('#') || name.ends_with('~') ||
         name.find("zone.identifier") != name.npos ||
         is_among(name, {"__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini",
                         "$recycle.bin", "system volume information",
                         "lost+found", "__pycache__", "cmakefiles", "a.out"}) ||
         is_among(lower(path.extension()),
                  {".o",   ".obj", ".a",     ".so",     ".d",   ".exe", ".out",
                   ".gch", ".ptx", ".cubin", ".fatbin", ".ii",  ".pdb", ".ilk",
                   ".dll", ".lib", ".bak",   ".orig",   ".swp", ".tmp"});
}

Detail not_regular(fs::file_type type) {
  return because(Cause::not_regular, kind_of(type));
}

Detail not_readable(const std::string& why) {
  return because(Cause::not_readable, why);
}

// Reads the whole file, or notes why it cannot.
void read_source(Submission& submission) {
  const Descriptor from(open(submission.file.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (from < 0) {
    submission.trouble = not_readable(std::strerror(errno));
    return;
  }
  struct stat about {};
  std::string text(longest_source + 1, '\0');
  if (fstat(from, &about) != 0 || !S_ISREG(about.st_mode)) {
    submission.trouble = not_regular(fs::status(submission.file).type());
  } else {
    std::size_t size = 0;
    for (ssize_t got = 1; got > 0 && size < text.size();
         size += static_cast<std::size_t>(std::max<ssize_t>(got, 0))) {
      got = read(from, text.data() + size, text.size() - size);
      if (got < 0) submission.trouble = not_readable(std::strerror(errno));
    }
    text.resize(size);
    if (size > longest_source) {
      submission.trouble =
          because(Cause::long_source, Quantity{longest_source, Unit::byte});
    }
    submission.source = plain_text(text);
    if (submission.source.find_first_not_of(" \t\n") == std::string::npos)
      submission.trouble = other("the file is empty");
  }
}

// A combining mark, as in names that macOS wrote: their é is two characters.
bool is_mark(std::string_view character) {
  return (character >= "\u0300" && character <= "\u036f") ||
         (character >= "\u1160" && character <= "\u11ff") ||
         (character >= "\u3099" && character <= "\u309a");
}

// A name reduced so that all its spellings are equal.
struct Skeleton {
  explicit Skeleton(const std::string& name) {
    for (std::size_t i = 0, end = 0; i < name.size(); i = end) {
      end = i + 1;
      while (end < name.size() && (name[end] & 0xc0) == 0x80)
        ++end;
      if (is_mark(std::string_view(name).substr(i, end - i))) {
        marked = true;
        if (!plain.empty()) plain.pop_back();
      } else {
        plain += (name[i] & 0x80) != 0 ? '*' : name[i];
      }
    }
    std::erase(plain, '*');
    plain = lower(plain);
  }

  std::string plain;
  bool marked = false;
};

bool look_alike(const std::string& a, const std::string& b) {
  const Skeleton one(a), other(b);
  return lower(a) == lower(b) ||
         ((one.marked || other.marked) && one.plain == other.plain);
}

// The name for folders and pages, unique also on systems that do not
// distinguish A from a.
std::string name_for(const std::string& student, std::set<std::string>& taken) {
  std::string name;
  for (const char c : student) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 && (c & 0x80) == 0;
    name += plain || c == '-' || c == '.' ? c : '_';
  }
  name = name.substr(0, 50);
  if (name.empty() || std::isalnum(static_cast<unsigned char>(name[0])) == 0)
    name = "_" + name;
  std::string unique = name;
  for (int i = 2; !taken.insert(lower(unique)).second; ++i)
    unique = name + "-" + std::to_string(i);
  return unique;
}

// Chooses the one source of a student's folder among those that lie least deep.
void choose_source(const fs::path& folder, Submission& submission,
                   PassedOver& passed) {
  std::vector<fs::path> sources, level{folder};
  while (sources.empty() && !level.empty()) {
    std::vector<fs::path> below;
    for (const auto& at : level) {
      for (const auto& entry : fs::directory_iterator(at)) {
        if (is_litter(entry.path())) {
          ++passed.litter;
        } else if (is_source(entry.path())) {
          sources.push_back(entry.path());
        } else if (entry.symlink_status().type() == fs::file_type::directory) {
          below.push_back(entry.path());
        }
      }
    }
    level = std::move(below);
  }
  if (sources.empty()) submission.trouble.cause = Cause::no_source;
  if (sources.size() > 1) submission.trouble.cause = Cause::several_sources;
  if (sources.size() != 1) return;
  const auto type = fs::symlink_status(sources.front()).type();
  if (type == fs::file_type::regular) {
    submission.file = sources.front();
    read_source(submission);
  } else {
    submission.trouble = not_regular(type);
  }
}

// An entry of a class. nullopt: it is no submission, such as a text beside the
// files.
std::optional<Submission> submission_of(const fs::directory_entry& entry,
                                        PassedOver& passed) {
  const auto& path = entry.path();
  Submission found{.student = path.filename().string()};
  try {
    const auto type = entry.symlink_status().type();
    if (is_litter(path)) {
      ++passed.litter;
      return std::nullopt;
    }
    if (type == fs::file_type::directory) {
      choose_source(path, found, passed);
    } else if (type != fs::file_type::regular) {
      found.trouble = not_regular(type);
    } else if (is_source(path)) {
      found.student = path.stem().string();
      found.file = path;
      read_source(found);
    } else {
      passed.others.push_back(printable(found.student));
      return std::nullopt;
    }
  } catch (const fs::filesystem_error& error) {
    found.trouble = not_readable(error.code().message());
  }
  return found;
}

void tell_apart(std::vector<Submission>& all) {
  std::set<std::string> taken;
  std::map<std::string, int> of_student;
  for (const auto& submission : all)
    ++of_student[submission.student];
  for (auto& submission : all) {
    submission.name = name_for(submission.student, taken);
    // ann.cu and ann.cpp
    if (of_student[submission.student] > 1 && !submission.file.empty())
      submission.student += " (" + submission.file.filename().string() + ")";
  }
  std::vector<std::string> written;
  for (auto& submission : all) {
    const auto alike = std::ranges::count_if(written, [&](const auto& before) {
      return look_alike(before, submission.student);
    });
    written.push_back(submission.student);
    submission.student = printable(submission.student);
    if (alike > 0) submission.student += " (" + std::to_string(alike + 1) + ")";
  }
}

}  // namespace

std::vector<Detail> PassedOver::notes() const {
  std::vector<Detail> notes;
  if (litter > 0) {
    notes.push_back(because(Cause::litter_passed_over, litter));
  }
  if (!others.empty()) {
    notes.push_back(because(Cause::no_sources_there, join(others, ", ")));
  }
  return notes;
}

std::vector<Submission> find_submissions(const fs::path& path,
                                         PassedOver& passed) {
  std::vector<Submission> all;
  std::error_code error;
  if (fs::is_regular_file(path, error) && is_source(path)) {
    all.push_back({.student = path.stem().string(), .file = path});
    read_source(all.back());
  } else if (fs::is_directory(path, error)) {
    fs::directory_iterator entry(path, error);
    for (; entry != fs::directory_iterator(); entry.increment(error)) {
      if (auto found = submission_of(*entry, passed))
        all.push_back(std::move(*found));
    }
  }
  if (error) {
    throw UsageError("grade: '" + printable(path.string()) +
                     "': " + error.message());
  }
  if (all.empty()) {
    throw UsageError("grade: '" + printable(path.string()) +
                     "': needs a .cu or .cpp file, a folder of these, or a "
                     "folder with one folder for each student");
  }
  std::ranges::sort(all, {}, [](const Submission& one) {
    return std::tie(one.student, one.file);
  });
  tell_apart(all);
  return all;
}

bool Submission::is_cuda() const {
  return is_cuda_source(file);
}

}  // namespace parlab::grade
