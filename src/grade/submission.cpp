#include "grade/submission.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <set>
#include <sstream>
#include <thread>

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
constexpr std::uintmax_t longest_source = 1 << 20;
constexpr const char* multiple_definition = "multiple definition";

bool is_source(const fs::path& path) {
  return path.extension() == ".cu" || path.extension() == ".cpp";
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
    if (entry.is_regular_file() && is_source(entry.path()))
      sources.push_back(entry.path());
  }
  if (sources.size() == 1) submission.file = sources.front();
  if (sources.empty()) submission.trouble.cause = Cause::no_source;
  if (sources.size() > 1) submission.trouble.cause = Cause::several_sources;
}

std::string without(std::string text, const std::string& part) {
  for (auto at = text.find(part); at != text.npos; at = text.find(part))
    text.erase(at, part.size());
  return text;
}

// "mine.cu:12:5: error: ..." of all that a compiler said;
// folder: where it was built.
std::string first_error(const std::string& said, const fs::path& folder) {
  std::istringstream lines(said);
  std::string first, line;
  while (std::getline(lines, line)) {
    if (first.empty()) first = line;
    const bool error = line.find("error:") != line.npos ||
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

  // Why it failed, or nothing.
  Detail run(std::vector<std::string> words, const fs::path& folder,
             const fs::path& log) const {
    words[0] = in_path(words[0]);
    auto readable = system_folders();
    readable.insert(readable.end(),
                    {(root / "src").string(), (root / "build").string(),
                     (root / "scripts").string()});
    Process compiler(words,
                     {.readable = readable,
                      .writable = {folder.string()},
                      .folder = root.string(),
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
      if (fs::exists(path)) return path.string();
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
      const auto script = (root / "scripts" / "emulate-kernel.sh").string();
      words.insert(words.begin(),
                   {"/bin/bash", script, source.string(), object.string()});
    }
    words.insert(words.end(), {"-DPARLAB_SOURCE=\"" + identity + "\"",
                               "-DPARLAB_SOURCE_HASH=\"submission\""});
    if (which != "emulated") {
      words.insert(words.end(), {"-c", source.string(), "-o", object.string()});
    }
    const auto said = [&] { return read_file(log).value_or(""); };
    auto why = run(words, folder, log);
    if (why || !fs::exists(object)) {
      const auto error = first_error(said(), folder);
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
    if (run(words, folder, log)) {
      const auto error = first_error(said(), folder);
      const bool twice = error.find(multiple_definition) != error.npos;
      submission.trouble = {
          .cause = twice ? Cause::defined_twice : Cause::cannot_be_linked,
          .arguments = {error}};
      return;
    }
    program = linked;
    fs::permissions(linked, fs::perms::others_read | fs::perms::others_exec,
                    fs::perm_options::add);
  }
};

void build_one(Submission& submission, const std::string& workload,
               const fs::path& all, BuildFor what, const Build& with) {
  if (submission.trouble) return;
  const auto folder = all / submission.name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy_file(
      submission.file,
      folder / (submission.name + submission.file.extension().string()));
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
  if (fs::is_regular_file(path) && is_source(path)) {
    all.push_back({.student = path.stem().string(), .file = path});
  } else if (fs::is_directory(path)) {
    for (const auto& entry : fs::directory_iterator(path)) {
      const auto file_name = entry.path().filename().string();
      if (file_name.starts_with('.')) continue;
      if (entry.is_symlink()) {
        all.push_back(
            {.student = file_name, .trouble = {.cause = Cause::symbolic_link}});
      } else if (entry.is_directory()) {
        all.push_back({.student = file_name});
        choose_source(entry.path(), all.back());
      } else if (entry.is_regular_file() && is_source(entry.path())) {
        all.push_back(
            {.student = entry.path().stem().string(), .file = entry.path()});
      }
    }
  }
  if (all.empty()) {
    throw UsageError("grade: '" + path.string() +
                     "': a folder of .cu or .cpp files, or of one folder per "
                     "student, is needed");
  }
  std::sort(all.begin(), all.end(),
            [](const Submission& a, const Submission& b) {
              return a.student < b.student;
            });
  std::set<std::string> taken;
  for (auto& submission : all) {
    submission.name = name_for(submission.student, taken);
    submission.student = printable(submission.student);
    if (!submission.file.empty() &&
        fs::file_size(submission.file) > longest_source) {
      submission.trouble = {
          .cause = Cause::long_source,
          .arguments = {Quantity{longest_source, Unit::byte}}};
    }
  }
  return all;
}

std::string workload_of(const fs::path& file) {
  std::set<std::string> found;
  std::istringstream lines(read_file(file).value_or(""));
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
  fs::create_directories(folder);
  const auto absolute = fs::canonical(folder);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i;
         !was_interrupted() && (i = next++) < submissions.size();) {
      try {
        build_one(submissions[i], workload, absolute, what, with);
      } catch (const std::exception& error) {
        submissions[i].trouble = {.cause = Cause::cannot_be_built,
                                  .arguments = {error.what()}};
      }
    }
  };
  std::vector<std::jthread> others;
  const auto cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < cores; ++i)
    others.emplace_back(work);
  work();
}

}  // namespace parlab::grade
