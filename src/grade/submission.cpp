#include "grade/submission.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <sstream>
#include <system_error>

#include "core/file.hpp"
#include "core/name.hpp"
#include "core/parallel.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "core/types.hpp"
#include "grade/sandbox.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

namespace fs = std::filesystem;

const Confinement of_compilers{.cpu_s = 120,
                               .memory_bytes = 4e9,
                               .file_bytes = std::uint64_t{512} << 20,
                               .may_start = true};
// A compiler may need this much for its files; with less its failure is not
// trusted.
constexpr std::uintmax_t least_room = std::uintmax_t{64} << 20;
constexpr const char* course_prefix = "course-of-";

std::vector<std::string> seen_by_compilers(const fs::path& root) {
  auto folders = system_folders();
  for (const char* part :
       {"src", "build", "scripts/emulate-kernel.sh",
        "scripts/compile-submission.sh", "scripts/launches.sh",
        "scripts/launches.awk", "scripts/environment.sh"}) {
    folders.push_back((root / part).string());
  }
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
  fs::path root, flags;  // the repository, and the folder of its build's flags

  bool has_cuda() const { return fs::exists(flags / "cuda.flags"); }

  std::vector<std::string> flags_of(const std::string& which) const {
    auto words = shell_words(read_file(flags / which).value_or(""));
    if (words.empty()) {
      throw UsageError(
          "grade: " + (flags / which).string() +
          " is not there; 'make' builds what submissions are linked with");
    }
    return words;
  }

  // Why it failed, or empty. Paths in the repository are relative, because
  // other users may not see the folders above.
  Detail run(std::vector<std::string> words, const Submission& submission,
             const fs::path& folder, const fs::path& log) const {
    // `env` starts it: the system cannot start a script from a descriptor
    // alone, and a shell would make its path absolute.
    words[0] = in_path(words[0]);
    words.insert(words.begin(), "/usr/bin/env");
    auto confined = of_compilers;
    confined.readable = seen_by_compilers(root);
    confined.writable = {folder.string()};
    confined.folder = root.string();
    confined.user = submission.user;
    Process compiler(words, confined, -1, log.string());
    return compiler.wait(confined.cpu_s);
  }

  std::string in_path(const std::string& program) const {
    if (program.find('/') != program.npos) return program;
    const fs::path path = path_of_program(program);
    if (path.empty())
      throw UsageError("grade: the compiler " + program + " is not in PATH");
    const auto inside = path.lexically_relative(root);
    return inside.empty() || *inside.begin() == ".." ? path.string()
                                                     : "./" + inside.string();
  }

  // which: "emulated", "device", "host" or "races", as compiler and linker use
  // it. Why it failed, or empty.
  Detail make(const Submission& submission, const std::string& workload,
              const fs::path& folder, const std::string& which,
              fs::path& program) const {
    if (auto why = compile(submission, workload, folder, which)) return why;
    const fs::path log = folder / (which + ".log"), linked = folder / which;
    auto words = flags_of(which == "device"  ? "grade/device.link"
                          : which == "races" ? "grade/races.link"
                                             : "grade/emulated.link");
    for (auto& word : words) {
      if (word == "OBJECT") word = object(folder, which).string();
      if (word == "PROGRAM") word = linked.string();
    }
    if (auto why = run(words, submission, folder, log)) {
      auto error = explained_error(log, source(submission, folder));
      const bool twice = !error.further.empty() &&
                         error.further[0].cause == Cause::defined_twice;
      error.further.clear();
      if (!error) error = {.arguments = {""}, .further = {std::move(why)}};
      error.cause = twice ? Cause::defined_twice : Cause::cannot_be_linked;
      return error;
    }
    program = linked;
    return {};
  }

  Detail compile(const Submission& submission, const std::string& workload,
                 const fs::path& folder, const std::string& which) const {
    const std::string backend = submission.is_cuda() ? "cuda" : "openmp";
    // Named like a variant of that name in the repository.
    const auto own = source(submission, folder).filename().string();
    const auto file =
        folder / (submission.around.empty() ? own : course_prefix + own);
    const auto identity = backend + "/" + workload + "/" + own;
    const fs::path result = object(folder, which),
                   log = folder / (which + ".log");
    auto words = flags_of(which == "device"     ? "cuda.flags"
                          : which == "emulated" ? "kernel.flags"
                          : which == "races"    ? "races.flags"
                                                : "host.flags");
    if (which != "host") {
      words[0] = in_path(words[0]);
      words.insert(words.begin(),
                   {"/bin/bash",
                    which == "device" ? "scripts/compile-submission.sh"
                                      : "scripts/emulate-kernel.sh",
                    file.string(), result.string()});
    }
    words.insert(words.end(), {"-I" + folder.string(),
                               "-DPARLAB_SOURCE=\"" + identity + "\"",
                               "-DPARLAB_SOURCE_HASH=\"submission\""});
    if (which == "host")
      words.insert(words.end(), {"-Dmain=own_main", "-c", file.string(), "-o",
                                 result.string()});
    auto why = run(words, submission, folder, log);
    if (!why && fs::exists(result)) return {};
    // For emulation the whole log lies there; the script prints the first
    // error.
    const auto whole = folder / (which + ".cu.log");
    auto error = explained_error(fs::exists(whole) ? whole : log,
                                 source(submission, folder));
    if (!error) {
      error = other("");
      if (why) error.further = {std::move(why)};
    }
    error.cause = Cause::does_not_compile;
    return error;
  }

  static fs::path source(const Submission& submission, const fs::path& folder) {
    return folder / (submission.name + submission.ending());
  }
  static fs::path object(const fs::path& folder, const std::string& which) {
    return folder / (which + ".cu.o");
  }
};

// Whether the code that does not compile exists only on GPUs.
bool is_for_gpu_alone(const Detail& error) {
  return std::ranges::any_of(error.further, [](const Detail& why) {
    return why.cause == Cause::needs_gpu_headers ||
           why.cause == Cause::needs_ptx ||
           why.cause == Cause::needs_gpu_functions;
  });
}

void build_one(Submission& submission, const std::string& workload,
               const fs::path& all, BuildFor what, const Build& with) {
  const auto folder = all / submission.name;
  const auto source = Build::source(submission, folder);
  fs::create_directory(folder);
  write_file(source, submission.source);
  std::vector<fs::path> paths{folder, source};
  if (!submission.around.empty()) {
    paths.push_back(folder / (course_prefix + source.filename().string()));
    write_file(paths.back(), submission.around);
  }
  for (const auto& header : submission.headers)
    write_file(folder / fs::path(header).filename(), "");
  submission.user = unused_user();
  if (submission.user) {
    for (const auto& path : paths) {
      if (chown(path.c_str(), *submission.user, *submission.user) != 0)
        throw std::system_error(errno, std::generic_category(), path);
    }
  }
  fs::permissions(folder, fs::perms::owner_all);
  auto& trouble = submission.trouble;
  if (!submission.is_cuda()) {
    trouble =
        with.make(submission, workload, folder, "host", submission.program);
    const auto mentions = [&](const char* word) {
      return submission.source.find(word) != std::string::npos;
    };
    if (!trouble &&
        (mentions("omp") || mentions("thread") || mentions("future"))) {
      trouble = with.make(submission, workload, folder, "races",
                          submission.for_races);
    }
    return;
  }
  trouble =
      with.make(submission, workload, folder, "emulated", submission.program);
  if (what == BuildFor::emulation_and_gpu &&
      (!trouble || trouble.cause == Cause::does_not_compile)) {
    const auto on_gpu =
        with.make(submission, workload, folder, "device", submission.on_gpu);
    if (!trouble || !on_gpu) trouble = on_gpu;
    return;
  }
  // A compiler for GPUs, if there is one, decides better.
  if (trouble.cause != Cause::does_not_compile) return;
  const bool asked = with.has_cuda();
  const bool compiles =
      asked && !with.compile(submission, workload, folder, "device");
  if (compiles || (!asked && is_for_gpu_alone(trouble))) {
    if (compiles) trouble.further.push_back({.cause = Cause::compiles_for_gpu});
    trouble = {.cause = Cause::only_on_gpu, .further = {std::move(trouble)}};
  }
}

void build_with_room(Submission& submission, const std::string& workload,
                     const fs::path& all, BuildFor what, const Build& with) {
  build_one(submission, workload, all, what, with);
  std::error_code unknown;
  if (submission.trouble && fs::space(all, unknown).available < least_room) {
    submission.trouble.further.push_back(
        because(Cause::disk_is_full, all.parent_path().string()));
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
  const auto self = this_program();
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
  const bool debug = this_program().parent_path().filename() == "debug";
  const Build with{root, root / "build" / (debug ? "debug" : "")};
  require_limits(of_compilers);
  require_reach(root, folder);
  if (what == BuildFor::emulation_and_gpu) require_sight_of_memory();
  for (const auto& submission : submissions)
    require_unseen(submission.file, root);
  on_threads(affinity().size(), submissions.size(), [&](std::size_t i) {
    if (was_interrupted() || submissions[i].trouble) return;
    try {
      build_with_room(submissions[i], workload, folder, what, with);
    } catch (const std::system_error& error) {
      submissions[i].trouble = because(Cause::system_refused, error.what());
    } catch (const std::exception& error) {
      submissions[i].trouble = because(Cause::cannot_be_built, error.what());
    }
  });
  const auto failed = std::ranges::find_if(submissions, [](const auto& one) {
    return one.trouble && !one.source.empty();
  });
  if (failed == submissions.end() || was_interrupted()) return;
  // Is it the submissions' fault, or this machine's: a full disk, a limit of
  // the shell, a compiler that is broken?
  const auto require = [&](BuildFor part, fs::path Submission::*program) {
    Submission none{.name = "_nothing",
                    .file = std::string("none") + failed->ending()};
    build_with_room(none, workload, folder, part, with);
    if ((none.*program).empty()) throw ExplainedError(none.trouble);
  };
  require(BuildFor::emulation, &Submission::program);
  if (what == BuildFor::emulation_and_gpu && failed->is_cuda() &&
      std::ranges::all_of(submissions, &fs::path::empty, &Submission::on_gpu))
    require(what, &Submission::on_gpu);
}

}  // namespace parlab::grade
