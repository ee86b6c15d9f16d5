// `parlab grade`: grades submitted kernels; writes a table, a CSV and pages.

#include <sys/statvfs.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>

#include "cli/lists.hpp"
#include "commands/documents.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "counters/emulated.hpp"
#include "grade/course.hpp"
#include "grade/grading.hpp"
#include "grade/sandbox.hpp"
#include "page/words.hpp"
#include "places/presence.hpp"
#include "render/formats.hpp"
#include "render/html.hpp"
#include "render/words.hpp"
#include "report/console.hpp"
#include "sweep/interrupt.hpp"
#include "sweep/session.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;
using namespace grade;

Options grade_options() {
  auto of_runs = run_options({"execution-limit", "format"});
  for (auto& option : of_runs) {
    if (option.flag == "execution-limit")
      option.help = "end an execution this long (" +
                    significant(Limits{}.seconds, 2) + ")";
  }
  return Options{
             {.flag = "sizes",
              .argument = "LIST",
              .help = "of the hand-out; the last is timed"},
             {.flag = "hidden",
              .argument = "LIST",
              .help = "hidden sizes, instead of random ones"},
             {.flag = "reference",
              .argument = "VARIANT",
              .help = "its time earns all points (the library)"},
             {.flag = "points",
              .argument = "RULE",
              .help = "'full within 1.2x, linear to 0 at 10x'"},
             {.flag = "course",
              .argument = "NAME",
              .help = "of their functions: cslab, polybench, solve, or a file"},
             {.flag = "anonymous", .help = "no names on the page of the class"},
             {.flag = "check", .help = "only whether one file is right"},
             {.flag = "seed",
              .argument = "N",
              .help = "of inputs and hidden sizes (random)"},
             {.flag = "dtype",
              .variable = "PARLAB_DTYPE",
              .argument = "TYPE",
              .help = "one type: float, double, ..."},
             {.flag = "output",
              .argument = "FOLDER",
              .help = "where the pages go (grades/WORKLOAD)"}} +
         of_runs;
}

// On the GPU, or on the host if all submissions are for it; nullptr: nothing is
// timed. setting: the option that names it, or nullptr.
const Variant* find_reference(const Setting* setting, const Workload& workload,
                              Dtype dtype, bool gpu, bool on_host) {
  const auto variants = Registry::instance().variants(workload.name());
  if (!gpu && !on_host) {
    if (setting == nullptr) return nullptr;
    setting->refuse(
        "nothing is timed without a GPU; leave it out to grade right and "
        "wrong");
  }
  const Variant* best = nullptr;
  for (const auto* variant : variants) {
    const auto name = variant->backend + "/" + variant->name;
    if (setting != nullptr) {
      if (name == setting->text || variant->full_name() == setting->text)
        best = variant;
      continue;
    }
    const bool peer = variant->target == (gpu ? Target::gpu : Target::host) &&
                      !variant->from_host() && variant->has(dtype) &&
                      variant->arithmetic_in(dtype) == Arithmetic::ieee;
    // The library; without one, the highest rung.
    if (peer && (best == nullptr || best->backend != "blas")) best = variant;
  }
  if (setting == nullptr) return best;
  if (best == nullptr) {
    setting->refuse(std::string(workload.name()) +
                    " has no such variant (see --list)");
  }
  if (best->target == Target::team || best->from_host())
    setting->refuse("submissions have one GPU, and their arrays on it");
  return best;
}

// Looks for the first submission with a function of the course.
std::optional<Course::Map> map_of(const std::optional<Course>& course,
                                  const Workload* workload,
                                  const std::vector<Submission>& submissions) {
  if (!course) return std::nullopt;
  for (const auto& submission : submissions) {
    const auto handed = find_function(*course, submission.source);
    if (handed && (!workload || handed->map.workload == workload->name()))
      return handed->map;
  }
  // Each is told that it lacks the only function of the course.
  if (course->maps.size() != 1) return std::nullopt;
  const auto& only = course->maps.front();
  if (workload && only.workload != workload->name()) return std::nullopt;
  return only;
}

// named: the workload on the command line; nullptr: the files show which.
Assignment assignment_of(const Arguments& arguments, const Workload* named,
                         const std::vector<Submission>& submissions,
                         const std::optional<Course>& course) {
  Assignment assignment;
  assignment.workload = named;
  if (assignment.workload == nullptr) {
    for (const auto& submission : submissions) {
      if (submission.file.empty() || assignment.workload != nullptr) continue;
      assignment.workload =
          Registry::instance().workload(workload_of(submission.source));
    }
  }
  if (const auto* asked = arguments.find("course");
      asked != nullptr && named != nullptr &&
      functions_of(*course, std::string(named->name())).empty()) {
    asked->refuse("it has no function for " + std::string(named->name()) +
                  ", only " + functions_of(*course, ""));
  }
  const auto map = map_of(course, assignment.workload, submissions);
  if (assignment.workload == nullptr && map)
    assignment.workload = Registry::instance().workload(map->workload);
  if (assignment.workload == nullptr) {
    throw UsageError(
        "grade: name the workload, as in 'parlab grade dmv " +
        arguments.positional.back() +
        "': no file includes the header of one, or has a function of " +
        (arguments.find("course") != nullptr
             ? "the course " + course->name + ", " + functions_of(*course, "")
             : "a course that is known (--course)") +
        ". A submission has #include "
        "\"workloads/dmv.hpp\", and at its end const Register<Dmv, float> "
        "variant(...), as docs/how-to/adding-a-kernel.md shows");
  }
  const auto& workload = *assignment.workload;
  const auto* dtype = arguments.find("dtype");
  assignment.dtype = dtype != nullptr ? from_string<Dtype>(dtype->text)
                     : map            ? map->dtype
                                      : workload.dtypes().front();
  const bool check = arguments.on("check");
  assignment.dtype_of_file = check && dtype == nullptr;
  assignment.seed = std::random_device{}();
  if (const auto* seed = arguments.find("seed")) {
    assignment.seed = static_cast<std::uint64_t>(
        parse_count(*seed, 0, std::numeric_limits<std::int64_t>::max()));
  }
  const bool cuda = std::ranges::any_of(submissions, &Submission::is_cuda);
  assignment.gpu = cuda && !why_no_gpu();
  const auto sizes_of = [&](const Setting& typed) {
    try {
      return parse_sizes(workload, typed.text, {});
    } catch (const UsageError& error) {
      throw UsageError(typed.name + ": " + error.what());
    }
  };
  const auto *sizes = arguments.find("sizes"),
             *hidden = arguments.find("hidden");
  assignment.sizes_asked = sizes != nullptr;
  assignment.hidden_asked = hidden != nullptr;
  if (sizes != nullptr) assignment.sizes = sizes_of(*sizes);
  // One file at home: sizes at which mistakes show. A class: also the size that
  // is timed.
  if (assignment.sizes.empty()) {
    for (const std::int64_t n : {1, 64, 100})
      assignment.sizes.push_back(complete_size(workload, {n}));
    if (!check && (assignment.gpu || !cuda)) {
      // Long enough that a launch is a small part of it, short enough for a
      // class: half of the first size that takes too long.
      const auto too_long =
          smallest_square_with(workload, assignment.dtype, 64e6, 2e10);
      assignment.sizes.push_back(
          complete_size(workload, {too_long.front() / 2}));
    }
  }
  assignment.hidden =
      hidden != nullptr
          ? sizes_of(*hidden)
          : (course && course->squares ? hidden_squares : hidden_sizes)(
                workload, assignment.dtype, assignment.seed);
  // The arrays, once more for their received copies, and the memory that a
  // student may use in addition.
  double most = 0;
  for (const auto& size : assignment.sizes)
    most = std::max(most, workload.work(size, assignment.dtype).bytes);
  assignment.limits.memory_bytes = 2e9 + 6 * most;
  if (const auto* rule = arguments.find("points"))
    assignment.points = PointsRule(rule->text);
  if (const auto* limit = arguments.find("execution-limit"))
    assignment.limits.seconds = parse_positive(*limit, 1e6);
  if (!check) {
    assignment.reference =
        find_reference(arguments.find("reference"), workload, assignment.dtype,
                       assignment.gpu, !cuda);
  }
  return assignment;
}

// Whether the user chose squares, and the hidden sizes are none.
bool hides_rectangles(const Assignment& assignment,
                      const std::optional<Course>& course) {
  return assignment.sizes_asked && !assignment.hidden_asked &&
         !(course && course->squares) &&
         std::ranges::all_of(assignment.sizes, [&](const Size& size) {
           return is_square(*assignment.workload, size);
         });
}

// Nobody except its owner can see the compilers' files here.
fs::path make_build_folder() {
  auto path = new_temporary_folder("parlab-grade");
  struct statvfs mounted {};
  if (statvfs(path.c_str(), &mounted) == 0 &&
      (mounted.f_flag & ST_NOEXEC) != 0) {
    fs::remove(path);
    throw UsageError("grade: no program can be run in " +
                     path.parent_path().string() +
                     ": TMPDIR names a folder where one can");
  }
  // The users that submissions are built as can pass through it but see no
  // names.
  fs::permissions(path, fs::perms::owner_all | fs::perms::group_exec |
                            fs::perms::others_exec);
  return path;
}

// [WORKLOAD] PATH, with a file or a folder of submissions
int grade_submissions(const Arguments& arguments, const Streams& streams) {
  const auto& typed = arguments.positional;
  if (typed.size() != 1 && typed.size() != 2) {
    throw UsageError(
        "grade: needs a folder of submissions, or --check and a file: grade "
        "dmv submissions/");
  }
  const auto* named = typed.size() == 2 ? &workload_called(typed[0]) : nullptr;
  const auto& path = typed.back();
  const bool check = arguments.on("check");
  const auto output = arguments.text("output");
  const auto format = format_of(arguments, {"table", "csv", "json"});
  auto &out = streams.out, &messages = streams.messages;
  // Reported before hours of grading, not after them.
  if (fs::exists(output) && !fs::is_directory(output)) {
    throw UsageError("grade: --output " + output + ": is there and no folder");
  }
  PassedOver passed;
  auto submissions = find_submissions(path, passed);
  if (check && submissions.size() != 1)
    throw UsageError("--check: '" + path + "' has " +
                     std::to_string(submissions.size()) +
                     " submissions; name one .cu or .cpp file");
  const auto its_course = arguments.text("course");
  const auto course =
      its_course.empty()
          ? course_of(submissions, std::string(named ? named->name() : ""),
                      repository())
          : std::optional(read_course(its_course, repository()));
  const auto assignment = assignment_of(arguments, named, submissions, course);
  const std::string workload(assignment.workload->name());
  adapt(submissions, course ? &*course : nullptr, workload, assignment.dtype);
  const auto note = [&](const std::string& text) {
    messages << "parlab: note: " << text << "\n";
  };
  if (course && its_course.empty()) {
    note("judged by the interface of the course " + course->name +
         " (--course)");
  }
  if (hides_rectangles(assignment, course))
    note(words(Detail{Cause::hidden_are_rectangles}));
  Progress progress(messages);
  const bool timed = assignment.reference != nullptr;
  progress.start(timed ? 2 * submissions.size() + 2 : submissions.size());
  progress.show("building " + page::counted(submissions.size(), "submission"));
  for (const auto& missing : missing_fences())
    note(missing);
  for (const auto& detail : passed.notes())
    note(words(detail));
  const Temporary folder(make_build_folder());
  // A terminal that closes and a job that ends leave no folder behind, either.
  const InterruptGuard guard({SIGINT, SIGTERM, SIGHUP});
  build(submissions, workload, folder.path(),
        assignment.gpu && !check ? BuildFor::emulation_and_gpu
                                 : BuildFor::emulation);
  const auto end_early = [&] {
    progress.clear();
    messages << "parlab: interrupted: nothing was graded\n";
    return exit_interrupted;
  };
  if (was_interrupted()) return end_early();
  std::size_t done = 0;
  std::mutex terminal;
  const auto graded = [&] {
    try {
      return grade::grade(
          assignment, std::move(submissions), arguments.typed,
          [&](const std::string& what) {
            const std::lock_guard lock(terminal);
            progress.show(what, done++);
          },
          [&, told = std::set<std::string>()](const Detail& detail) mutable {
            const std::lock_guard lock(terminal);
            if (!told.insert(words(detail)).second) return;
            progress.clear();
            note(words(detail));
          });
    } catch (const PointError& error) {
      throw std::runtime_error(
          "the reference " + assignment.reference->full_name() +
          " has no time, " + std::string(to_string(error.verdict)) + ": " +
          words(error.detail) + "; choose another with --reference");
    }
  };
  auto all = graded();
  for (auto& grade : all.grades) {
    if (!grade.counted) continue;
    // few blocks are not its fault: the size is small
    grade.counted->blocks = 0;
    grade.slow = diagnoses(*grade.counted);
  }
  progress.clear();
  const auto table = class_table(all);
  if (check) {
    if (all.interrupted) return end_early();
    streams.print(check_report(all), table, format);
    return all.grades.front().passed() ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  streams.print(class_report(all), table, format);
  const bool nobody = std::ranges::all_of(all.grades, [](const Grade& grade) {
    return grade.verdict == Verdict::unverified;
  });
  if (all.interrupted && nobody) return exit_interrupted;
  // Next to the files of a whole grading, without replacing them.
  const fs::path into =
      (output.empty() ? (base_folder() / "grades" / workload).string()
                      : output) +
      (all.interrupted ? "-interrupted" : "");
  write_file(into / "grades.csv", csv(table));
  write_file(into / "index.html",
             html(page::class_page(all, arguments.on("anonymous"))));
  for (const auto& grade : all.grades) {
    write_file(into / "students" / (grade.submission.name + ".html"),
               html(page::student_page(all, grade)));
  }
  (format == "table" ? out : messages)
      << (into / "index.html").string()
      << ", grades.csv and students/: written\n";
  return all.interrupted ? exit_interrupted : EXIT_SUCCESS;
}

const CommandRegistration grade_command(
    {.name = "grade",
     .usage = "[<workload>] <folder> [options]\n--check mine.cu",
     .help = "Builds each file of a folder, or each student's folder in it, "
             "runs it in a process of its own, and says who is right, who is "
             "fast, and what to try next; --check does that with one file, on "
             "any machine. Writes grades/WORKLOAD: pages, and grades.csv. "
             "docs/how-to/grading.md",
     .options = grade_options,
     .run = grade_submissions});

}  // namespace
}  // namespace parlab
