// `parlab grade`: grades submitted kernels; writes a table, a CSV and pages.

#include <sys/statvfs.h>
#include <unistd.h>

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

struct GradeRequest {
  const Workload* workload = nullptr;  // nullptr: the files show which
  std::string path;                    // a file, or a folder of submissions
  std::optional<Dtype> dtype;
  std::optional<std::string> sizes, hidden;  // as typed
  std::string reference, output, course;
  std::string points = "full within 1.2x, linear to 0 at 10x";
  std::optional<std::uint64_t> seed;  // for the inputs; nullopt: drawn at
                                      // random
  std::optional<double> execution_limit_s;
  bool check = false;  // for one file: only whether it is right
  bool anonymous = false;
};

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

// [WORKLOAD] PATH
GradeRequest read_grading(const Arguments& arguments) {
  GradeRequest asked;
  auto words = arguments.positional;
  if (words.size() == 2) {
    asked.workload = &workload_called(words.front());
    words.erase(words.begin());
  }
  if (words.size() != 1) {
    throw UsageError(
        "grade: needs a folder of submissions, or --check and a file: grade "
        "dmv submissions/");
  }
  asked.path = words.front();
  if (const auto* setting = arguments.find("dtype"))
    asked.dtype = from_string<Dtype>(setting->text);
  if (const auto* setting = arguments.find("sizes"))
    asked.sizes = setting->text;
  if (const auto* setting = arguments.find("hidden"))
    asked.hidden = setting->text;
  if (const auto* setting = arguments.find("points"))
    asked.points = setting->text;
  if (const auto* setting = arguments.find("seed")) {
    asked.seed = static_cast<std::uint64_t>(
        parse_count(*setting, 0, std::numeric_limits<std::int64_t>::max()));
  }
  if (const auto* setting = arguments.find("execution-limit"))
    asked.execution_limit_s = parse_positive(*setting, 1e6);
  asked.reference = arguments.text("reference");
  asked.output = arguments.text("output");
  asked.course = arguments.text("course");
  asked.check = arguments.on("check");
  asked.anonymous = arguments.on("anonymous");
  return asked;
}

// On the GPU, or on the host if all submissions are for it; nullptr: nothing is
// timed.
const Variant* find_reference(const GradeRequest& asked,
                              const Workload& workload, Dtype dtype, bool gpu,
                              bool on_host) {
  const auto variants = Registry::instance().variants(workload.name());
  if (!gpu && !on_host) {
    if (asked.reference.empty()) return nullptr;
    throw UsageError("--reference " + asked.reference +
                     ": nothing is timed without a GPU; leave it out to grade "
                     "right and wrong");
  }
  const Variant* best = nullptr;
  for (const auto* variant : variants) {
    const auto name = variant->backend + "/" + variant->name;
    if (!asked.reference.empty()) {
      if (name == asked.reference || variant->full_name() == asked.reference)
        best = variant;
      continue;
    }
    const bool peer = variant->target == (gpu ? Target::gpu : Target::host) &&
                      !variant->from_host() && variant->has(dtype) &&
                      variant->arithmetic_in(dtype) == Arithmetic::ieee;
    // The library; without one, the highest rung.
    if (peer && (best == nullptr || best->backend != "blas")) best = variant;
  }
  if (best == nullptr && !asked.reference.empty()) {
    throw UsageError("--reference " + asked.reference + ": " +
                     std::string(workload.name()) +
                     " has no such variant (see --list)");
  }
  if (best != nullptr && (best->target == Target::team || best->from_host())) {
    throw UsageError("--reference " + asked.reference +
                     ": submissions have one GPU, and their arrays on it");
  }
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
  return std::nullopt;
}

Assignment assignment_of(const GradeRequest& asked,
                         const std::vector<Submission>& submissions,
                         const std::optional<Course>& course) {
  Assignment assignment;
  assignment.workload = asked.workload;
  if (assignment.workload == nullptr) {
    for (const auto& submission : submissions) {
      if (submission.file.empty() || assignment.workload != nullptr) continue;
      assignment.workload =
          Registry::instance().workload(workload_of(submission.source));
    }
  }
  const auto map = map_of(course, assignment.workload, submissions);
  if (assignment.workload == nullptr && map)
    assignment.workload = Registry::instance().workload(map->workload);
  if (assignment.workload == nullptr) {
    throw UsageError(
        "grade: name the workload, as in 'parlab grade dmv " + asked.path +
        "': no file includes the header of one, or has a function of a course "
        "that is known (--course). A submission has #include "
        "\"workloads/dmv.hpp\", and at its end const Register<Dmv, float> "
        "variant(...), as docs/how-to/adding-a-kernel.md shows");
  }
  const auto& workload = *assignment.workload;
  assignment.dtype = asked.dtype ? *asked.dtype
                     : map       ? map->dtype
                                 : workload.dtypes().front();
  assignment.dtype_of_file = asked.check && !asked.dtype;
  assignment.seed = asked.seed ? *asked.seed : std::random_device{}();
  const bool cuda = std::ranges::any_of(submissions, &Submission::is_cuda);
  assignment.gpu = cuda && !why_no_gpu();
  const auto sizes_of = [&](const char* option, const std::string& typed) {
    try {
      return parse_sizes(workload, typed, {});
    } catch (const UsageError& error) {
      throw UsageError(std::string(option) + ": " + error.what());
    }
  };
  if (asked.sizes) assignment.sizes = sizes_of("--sizes", *asked.sizes);
  assignment.sizes_asked = asked.sizes.has_value();
  assignment.hidden_asked = asked.hidden.has_value();
  // One file at home: sizes at which mistakes show. A class: also the size that
  // is timed.
  if (assignment.sizes.empty()) {
    for (const std::int64_t n : {1, 64, 100})
      assignment.sizes.push_back(complete_size(workload, {n}));
    if (!asked.check && (assignment.gpu || !cuda)) {
      // Long enough that a launch is a small part of it, short enough for a
      // class: half of the first size that takes too long.
      const auto too_long =
          smallest_square_with(workload, assignment.dtype, 64e6, 2e10);
      assignment.sizes.push_back(
          complete_size(workload, {too_long.front() / 2}));
    }
  }
  assignment.hidden =
      asked.hidden
          ? sizes_of("--hidden", *asked.hidden)
          : (course && course->squares ? hidden_squares : hidden_sizes)(
                workload, assignment.dtype, assignment.seed);
  // The arrays, once more for their received copies, and the memory that a
  // student may use in addition.
  double most = 0;
  for (const auto& size : assignment.sizes)
    most = std::max(most, workload.work(size, assignment.dtype).bytes);
  assignment.limits.memory_bytes = 2e9 + 6 * most;
  assignment.points = PointsRule(asked.points);
  if (asked.execution_limit_s)
    assignment.limits.seconds = *asked.execution_limit_s;
  if (!asked.check) {
    assignment.reference = find_reference(asked, workload, assignment.dtype,
                                          assignment.gpu, !cuda);
  }
  return assignment;
}

// Notes about the sizes, for the teacher to read before hours of grading.
std::vector<Detail> notes_on_sizes(const Assignment& assignment, bool squares) {
  const auto& workload = *assignment.workload;
  std::vector<Detail> notes;
  const bool asked_squares =
      assignment.sizes_asked && !assignment.hidden_asked && !squares &&
      std::ranges::all_of(assignment.sizes, [&](const Size& size) {
        return is_square(workload, size);
      });
  if (asked_squares) notes.push_back({.cause = Cause::hidden_are_rectangles});
  return notes;
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

int grade_submissions(const Arguments& arguments, const Streams& streams) {
  const auto asked = read_grading(arguments);
  const auto format = format_of(arguments, {"table", "csv", "json"});
  auto &out = streams.out, &messages = streams.messages;
  // Reported before hours of grading, not after them.
  if (fs::exists(asked.output) && !fs::is_directory(asked.output)) {
    throw UsageError("grade: --output " + asked.output +
                     ": is there and no folder");
  }
  PassedOver passed;
  auto submissions = find_submissions(asked.path, passed);
  if (asked.check && submissions.size() != 1)
    throw UsageError("--check: '" + asked.path + "' has " +
                     std::to_string(submissions.size()) +
                     " submissions; name one .cu or .cpp file");
  const auto course =
      asked.course.empty()
          ? course_of(submissions,
                      std::string(asked.workload ? asked.workload->name() : ""),
                      repository())
          : std::optional(read_course(asked.course, repository()));
  const auto assignment = assignment_of(asked, submissions, course);
  const std::string workload(assignment.workload->name());
  adapt(submissions, course ? &*course : nullptr, workload, assignment.dtype);
  if (course && asked.course.empty()) {
    messages << "parlab: note: judged by the interface of the course "
             << course->name << " (--course)\n";
  }
  for (const auto& note : notes_on_sizes(assignment, course && course->squares))
    messages << "parlab: note: " << words(note) << "\n";
  Progress progress(messages, terminal_width(STDERR_FILENO));
  const bool timed = assignment.reference != nullptr;
  progress.start(timed ? 2 * submissions.size() + 2 : submissions.size());
  progress.show("building " + page::counted(submissions.size(), "submission"),
                0);
  for (const auto& missing : missing_fences())
    messages << "parlab: note: " << missing << "\n";
  for (const auto& note : passed.notes())
    messages << "parlab: note: " << words(note) << "\n";
  const Temporary folder(make_build_folder());
  const InterruptGuard guard;
  build(submissions, workload, folder.path(),
        assignment.gpu && !asked.check ? BuildFor::emulation_and_gpu
                                       : BuildFor::emulation);
  if (was_interrupted()) return exit_interrupted;
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
          [&, told = std::set<std::string>()](const Detail& note) mutable {
            const std::lock_guard lock(terminal);
            if (!told.insert(words(note)).second) return;
            progress.clear();
            messages << "parlab: note: " << words(note) << "\n";
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
  const auto print = [&](const Document& for_people) {
    if (format == "table") return streams.print(for_people);
    streams.print(class_table(all), format);
  };
  if (asked.check) {
    if (all.interrupted) return exit_interrupted;
    print(check_report(all));
    return all.grades.front().passed() ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  print(class_report(all));
  const bool nobody = std::ranges::all_of(all.grades, [](const Grade& grade) {
    return grade.verdict == Verdict::unverified;
  });
  if (all.interrupted && nobody) return exit_interrupted;
  // Next to the files of a whole grading, without replacing them.
  const fs::path into =
      (asked.output.empty() ? (base_folder() / "grades" / workload).string()
                            : asked.output) +
      (all.interrupted ? "-interrupted" : "");
  write_file(into / "grades.csv", csv(class_table(all)));
  write_file(into / "index.html", html(page::class_page(all, asked.anonymous)));
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
