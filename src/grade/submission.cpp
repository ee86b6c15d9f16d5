#include "grade/submission.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <tuple>

#include "core/affinity.hpp"
#include "core/file.hpp"
#include "core/name.hpp"
#include "core/text.hpp"
#include "core/types.hpp"
#include "grade/sandbox.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

namespace fs = std::filesystem;

constexpr double seconds_to_compile = 120, memory_to_compile = 4e9;
constexpr std::size_t longest_source = 1 << 20;
constexpr std::streamsize longest_log = 1 << 20;
constexpr const char* multiple_definition = "multiple definition";

bool is_source(const fs::path& path) {
  return path.extension() == ".cu" || path.extension() == ".cpp";
}

// What unpacking adds to a folder of files.
bool is_litter(const fs::path& path) {
  const auto name = path.filename().string();
  return name.starts_with('.') || name == "__MACOSX";
}

const char* kind_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::symlink:
      return "a symbolic link";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "a device";
  }
}

Detail not_regular(fs::file_type type) {
  return {.cause = Cause::not_regular, .arguments = {kind_of(type)}};
}

Detail not_readable(const std::string& why) {
  return {.cause = Cause::not_readable, .arguments = {why}};
}

// All of a file, or why not.
void read_source(Submission& submission) {
  const int from = open(submission.file.c_str(),
                        O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
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
      submission.trouble = {
          .cause = Cause::long_source,
          .arguments = {Quantity{longest_source, Unit::byte}}};
    }
    submission.source = std::move(text);
  }
  close(from);
}

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
  for (int i = 2; !taken.insert(unique).second; ++i)
    unique = name + "-" + std::to_string(i);
  return unique;
}

// The one source of a student's folder.
void choose_source(const fs::path& folder, Submission& submission) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (is_source(entry.path()) && !is_litter(entry.path()))
      sources.push_back(entry.path());
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

// An entry of a class, whatever it is. Nothing: it is none's, as a text beside
// the files is.
std::optional<Submission> submission_of(const fs::directory_entry& entry) {
  const auto& path = entry.path();
  Submission found{.student = path.filename().string()};
  try {
    const auto type = entry.symlink_status().type();
    if (is_litter(path)) return std::nullopt;
    if (type == fs::file_type::directory) {
      choose_source(path, found);
    } else if (type != fs::file_type::regular) {
      found.trouble = not_regular(type);
    } else if (is_source(path)) {
      found.student = path.stem().string();
      found.file = path;
      read_source(found);
    } else {
      return std::nullopt;
    }
  } catch (const fs::filesystem_error& error) {
    found.trouble = not_readable(error.code().message());
  }
  return found;
}

std::string without(std::string text, const std::string& part) {
  for (auto at = text.find(part); at != text.npos; at = text.find(part))
    text.erase(at, part.size());
  return text;
}

// "mine.cu:12:5: error: ..." of what a compiler said;
// folder: where it was built.
std::string first_error(const fs::path& log, const fs::path& folder) {
  std::string said(longest_log, '\0');
  std::ifstream file(log);
  file.read(said.data(), longest_log);
  said.resize(static_cast<std::size_t>(file.gcount()));
  std::istringstream lines(said);
  std::string first, line;
  while (std::getline(lines, line)) {
    first = line;
    const bool error = line.find("error:") != line.npos ||
                       line.find("Error:") != line.npos ||
                       line.find("error ") != line.npos ||
                       line.find(multiple_definition) != line.npos ||
                       line.find("undefined reference") != line.npos;
    if (!error) continue;
    const auto slash = line.rfind('/', line.find(": "));
    first = line.substr(slash == line.npos ? 0 : slash + 1);
    first = without(first, folder.string() + "/");
    break;
  }
  return printable(first).substr(0, 400);
}

std::vector<std::string> seen_by_compilers(const fs::path& root) {
  auto folders = system_folders();
  for (const char* part :
       {"src", "build", "scripts/emulate-kernel.sh", "scripts/environment.sh"})
    folders.push_back((root / part).string());
  return folders;
}

void require_unseen(const fs::path& file, const fs::path& root) {
  const auto path = fs::weakly_canonical(file).string();
  for (const auto& folder : seen_by_compilers(root)) {
    if (path.starts_with(folder + "/")) {
      throw UsageError("grade: " + printable(path) + " is in " + folder +
                       ", which all submissions can read: move it elsewhere");
    }
  }
}

struct Build {
  fs::path root, flags;  // the repository, and where its build keeps its flags

  std::vector<std::string> flags_of(const std::string& which) const {
    auto words = shell_words(read_file(flags / which).value_or(""));
    if (words.empty()) {
      throw UsageError(
          "grade: " + (flags / which).string() +
          " is not there; 'make' builds what submissions are linked with");
    }
    return words;
  }

  // Why it failed, or nothing. What it reads of the repository is named from
  // there: other users may not see the folders above.
  Detail run(std::vector<std::string> words, const Submission& submission,
             const fs::path& folder, const fs::path& log) const {
    words[0] = in_path(words[0]);
    Process compiler(words,
                     {.readable = seen_by_compilers(root),
                      .writable = {folder.string()},
                      .folder = root.string(),
                      .user = submission.user,
                      .cpu_s = seconds_to_compile,
                      .memory_bytes = memory_to_compile,
                      .file_bytes = std::uint64_t{512} << 20,
                      .may_start = true},
                     -1, log.string());
    return compiler.wait(seconds_to_compile);
  }

  static std::string in_path(const std::string& program) {
    if (program.find('/') != program.npos) return program;
    std::istringstream folders(
        std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
    for (std::string folder; std::getline(folders, folder, ':');) {
      const auto path = fs::path(folder) / program;
      std::error_code unreadable;
      if (fs::is_regular_file(path, unreadable) &&
          access(path.c_str(), X_OK) == 0) {
        return path.string();
      }
    }
    throw UsageError("grade: the compiler " + program + " is not in PATH");
  }

  // which: "emulated", "device" or "host"; the words of the
  // compiler and of the linker.
  void make(Submission& submission, const std::string& workload,
            const fs::path& folder, const std::string& which,
            fs::path& program) const {
    const std::string backend = submission.is_cuda() ? "cuda" : "openmp";
    // Named as a variant of that name in the repository would be.
    const fs::path source =
        folder / (submission.name + submission.file.extension().string());
    const auto identity =
        backend + "/" + workload + "/" + source.filename().string();
    const fs::path object = folder / (which + ".cu.o"),
                   log = folder / (which + ".log");
    const fs::path linked = folder / which;
    auto words = flags_of(which == "device"     ? "cuda.flags"
                          : which == "emulated" ? "kernel.flags"
                                                : "host.flags");
    if (which == "emulated") {
      words.insert(words.begin(), {"/bin/bash", "scripts/emulate-kernel.sh",
                                   source.string(), object.string()});
    }
    words.insert(words.end(), {"-DPARLAB_SOURCE=\"" + identity + "\"",
                               "-DPARLAB_SOURCE_HASH=\"submission\""});
    if (which != "emulated") {
      words.insert(words.end(), {"-c", source.string(), "-o", object.string()});
    }
    auto why = run(words, submission, folder, log);
    if (why || !fs::exists(object)) {
      const auto error = first_error(log, folder);
      submission.trouble = {.cause = Cause::does_not_compile,
                            .arguments = {error}};
      if (error.empty()) submission.trouble.further = {std::move(why)};
      return;
    }
    words = flags_of(which == "device" ? "grade/device.link"
                                       : "grade/emulated.link");
    for (auto& word : words) {
      if (word == "OBJECT") word = object.string();
      if (word == "PROGRAM") word = linked.string();
    }
    if (run(words, submission, folder, log)) {
      const auto error = first_error(log, folder);
      const bool twice = error.find(multiple_definition) != error.npos;
      submission.trouble = {
          .cause = twice ? Cause::defined_twice : Cause::cannot_be_linked,
          .arguments = {error}};
      return;
    }
    program = linked;
  }
};

bool is_built(const Submission& submission) {
  return !submission.program.empty();
}

void build_one(Submission& submission, const std::string& workload,
               const fs::path& all, BuildFor what, const Build& with) {
  const auto folder = all / submission.name;
  const auto source =
      folder / (submission.name + submission.file.extension().string());
  fs::create_directory(folder);
  write_file(source, submission.source);
  submission.user = unused_user();
  if (submission.user) {
    for (const auto& path : {folder, source}) {
      if (chown(path.c_str(), *submission.user, *submission.user) != 0)
        throw std::system_error(errno, std::generic_category(), path);
    }
  }
  fs::permissions(folder, fs::perms::owner_all);
  if (!submission.is_cuda()) {
    with.make(submission, workload, folder, "host", submission.program);
    return;
  }
  with.make(submission, workload, folder, "emulated", submission.program);
  if (what == BuildFor::emulation_and_gpu && !submission.trouble) {
    with.make(submission, workload, folder, "device", submission.on_gpu);
  }
}

}  // namespace

std::vector<Submission> find_submissions(const fs::path& path) {
  std::vector<Submission> all;
  std::error_code error;
  if (fs::is_regular_file(path, error) && is_source(path)) {
    all.push_back({.student = path.stem().string(), .file = path});
    read_source(all.back());
  } else if (fs::is_directory(path, error)) {
    fs::directory_iterator entry(path, error);
    for (; entry != fs::directory_iterator(); entry.increment(error)) {
      if (auto found = submission_of(*entry)) all.push_back(std::move(*found));
    }
  }
  if (error) {
    throw UsageError("grade: '" + printable(path.string()) +
                     "': " + error.message());
  }
  if (all.empty()) {
    throw UsageError("grade: '" + printable(path.string()) +
                     "': a folder of .cu or .cpp files, or of one folder per "
                     "student, is needed");
  }
  std::sort(all.begin(), all.end(),
            [](const Submission& a, const Submission& b) {
              return std::tie(a.student, a.file) < std::tie(b.student, b.file);
            });
  std::set<std::string> taken;
  std::map<std::string, int> of_student;
  for (const auto& submission : all)
    ++of_student[submission.student];
  for (auto& submission : all) {
    submission.name = name_for(submission.student, taken);
    // ann.cu and ann.cpp
    if (of_student[submission.student] > 1 && !submission.file.empty())
      submission.student += " (" + submission.file.filename().string() + ")";
    submission.student = printable(submission.student);
  }
  return all;
}

std::string workload_of(const std::string& source) {
  std::set<std::string> found;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("#include \"workloads/");
    const auto dot = line.find(".hpp\"");
    if (at == line.npos || dot == line.npos || dot < at + 20) continue;
    found.insert(line.substr(at + 20, dot - at - 20));
  }
  return found.size() == 1 ? *found.begin() : "";
}

fs::path repository() {
  const auto self = fs::read_symlink("/proc/self/exe");
  auto root = self.parent_path().parent_path();
  if (self.parent_path().filename() == "debug") root = root.parent_path();
  if (!fs::exists(root / "src" / "core")) {
    throw UsageError("grade: " + root.string() +
                     " has no src/ any more: submissions are built with it");
  }
  return root;
}

void build(std::vector<Submission>& submissions, const std::string& workload,
           const fs::path& folder, BuildFor what) {
  const auto root = repository();
  const bool debug =
      fs::read_symlink("/proc/self/exe").parent_path().filename() == "debug";
  const Build with{root, root / "build" / (debug ? "debug" : "")};
  for (const auto& submission : submissions)
    require_unseen(submission.file, root);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i;
         !was_interrupted() && (i = next++) < submissions.size();) {
      if (submissions[i].trouble) continue;
      try {
        build_one(submissions[i], workload, folder, what, with);
      } catch (const std::exception& error) {
        submissions[i].trouble = {.cause = Cause::cannot_be_built,
                                  .arguments = {error.what()}};
      }
    }
  };
  {
    std::vector<std::jthread> others;
    const auto cores = affinity().size();
    for (std::size_t i = 1; i < cores; ++i)
      others.emplace_back(work);
    work();
  }
  if (std::any_of(submissions.begin(), submissions.end(), is_built) ||
      was_interrupted()) {
    return;
  }
  // Is it them, or this machine?
  for (const auto& submission : submissions) {
    if (submission.file.empty()) continue;
    Submission none{.name = "_nothing",
                    .file = "none" + submission.file.extension().string()};
    build_one(none, workload, folder, what, with);
    if (!is_built(none)) throw ExplainedError(none.trouble);
    return;
  }
}

}  // namespace parlab::grade
