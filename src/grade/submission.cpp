#include "grade/submission.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "core/affinity.hpp"
#include "core/file.hpp"
#include "core/name.hpp"
#include "core/parallel.hpp"
#include "core/text.hpp"
#include "core/types.hpp"
#include "grade/sandbox.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

namespace fs = std::filesystem;

constexpr double seconds_to_compile = 120, memory_to_compile = 4e9;
constexpr std::streamsize longest_log = 1 << 20;
constexpr const char* multiple_definition = "multiple definition";

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
    const fs::path source = folder / (submission.name + submission.ending());
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

void build_one(Submission& submission, const std::string& workload,
               const fs::path& all, BuildFor what, const Build& with) {
  const auto folder = all / submission.name;
  const auto source = folder / (submission.name + submission.ending());
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
  on_threads(affinity().size(), work);
  const auto failed = std::ranges::find_if(submissions, [](const auto& one) {
    return one.trouble && !one.source.empty();
  });
  if (failed == submissions.end() || was_interrupted()) return;
  // Is it them, or this machine: a full disk, a limit of the shell?
  Submission none{.name = "_nothing",
                  .file = std::string("none") + failed->ending()};
  build_one(none, workload, folder, what, with);
  if (none.program.empty()) throw ExplainedError(none.trouble);
}

}  // namespace parlab::grade
