#include "cli/usage.hpp"

#include <algorithm>
#include <iomanip>
#include <ostream>

#include "core/build.hpp"
#include "core/text.hpp"
#include "image/filter.hpp"

namespace parlab {
namespace {

constexpr std::size_t width = 100;

// "<matrix size>" where one number stands for a square.
std::string size_argument(const Workload& workload) {
  return workload.dimensions().size() == 1 ? "<size>" : "<matrix size>";
}

// With the course's variables as many numbers as the problem has extents are one problem.
std::string as_one_problem(const Workload& workload, const std::string& program) {
  const auto extents = workload.dimensions().size() - workload.parameters().size();
  if (extents < 2) return "";
  std::string text = "\n  with either of these also: " + program;
  for (std::size_t i = 0; i < extents; ++i) {
    text += " <" + std::string(workload.dimensions()[i]) + ">";
  }
  return text + ", one problem";
}

std::int64_t block_fallback(const Workload& workload) {
  for (const auto* variant : Registry::instance().variants(workload.name())) {
    if (const auto* block = variant->tunable("block")) return block->fallback;
  }
  return 256;
}

std::vector<const Variant*> kernels_by_number(const Workload& workload) {
  auto kernels = Registry::instance().variants(workload.name());
  std::erase_if(kernels, [](const Variant* variant) { return variant->id < 0; });
  std::sort(kernels.begin(), kernels.end(), [](auto* a, auto* b) { return a->id < b->id; });
  return kernels;
}

void print_indented(std::ostream& out, const std::string& text, std::size_t indent) {
  for (const auto& line : wrap(text, width - indent)) {
    out << std::string(indent, ' ') << line << '\n';
  }
}

void print_workloads(std::ostream& out) {
  out << "Workloads:\n";
  for (const auto* workload : Registry::instance().workloads()) {
    out << "  " << std::left << std::setw(12) << workload->name() << workload->summary() << '\n';
  }
}

std::string tunable_line(const Tunable& tunable) {
  std::string fallback = std::to_string(tunable.fallback);
  if (tunable.fallback == 0 && tunable.name == "threads") fallback = "all cores";
  if (tunable.fallback == 0 && tunable.name == "gpus") fallback = "all GPUs";
  return "--" + tunable.name + " " + fallback + " (" + tunable.allowed() + ")";
}

void print_option(std::ostream& out, const Option& option) {
  std::string line = "  --" + option.flag + (option.argument.empty() ? "" : " " + option.argument);
  line.resize(std::max<std::size_t>(line.size() + 1, 24), ' ');
  line += option.variable;
  line.resize(std::max<std::size_t>(line.size() + 1, 43), ' ');
  out << (line + option.help).substr(0, width) << '\n';
}

// What a command that is no run is for.
struct CommandHelp {
  std::string name, text;
};

const std::vector<CommandHelp>& command_helps() {
  static const std::vector<CommandHelp> helps{
      {"show",
       "Usage: parlab show [<records>...] [options]\n\n"
       "Prints records as tables, or as csv for spreadsheets. <records>: a record file, a folder, "
       "or\n"
       "a machine under results/; without any, all of results/.\n"},
      {"compare",
       "Usage: parlab compare <before> <after> [options]\n\n"
       "Says for each point that both have whether it became slower or faster, stayed the same,\n"
       "or cannot be told. <before>, <after>: a record file, a folder, or a machine under\n"
       "results/.\n"},
      {"export",
       "Usage: parlab export <records>...\n\n"
       "Prints the records of files or folders as one CSV, with a line for each.\n"},
      {"claims",
       "Usage: parlab claims <records>... [options]\n\n"
       "Says which conclusions of the source reports the records of a machine bear out.\n"},
      {"query",
       "Usage: parlab query <database> <SQL> [<text>...]\n\n"
       "Prints what a question to a database of records answers; each text is bound to a ?.\n"},
      {"database",
       "Usage: parlab database <records> <database> --views FILE\n\n"
       "Makes a database of records, with views of them, for figures.\n"},
      {"page",
       "Usage: parlab page results/MACHINE [options]\n\n"
       "Writes the page of a machine: its figures, tables and claims, in one file.\n"},
      {"index",
       "Usage: parlab index results/* [options]\n\n"
       "Writes the index of several machines, side by side, with links to their pages.\n"},
      {"merge",
       "Usage: parlab merge <records> <shard>...\n\n"
       "Appends to a record file what other files of the same machine hold and it does not, and "
       "removes\n"
       "them. A line that is torn is left out, with a warning. Of records of one point the last "
       "counts.\n"},
      {"machine",
       "Usage: parlab machine [options]\n\n"
       "Says what this machine is, and the ceilings that were measured on it once.\n"},
      {"grade",
       "Usage: parlab grade [<workload>] <folder> [options]\n"
       "       parlab grade --check mine.cu\n\n"
       "Builds each file of a folder, or each student's folder in it, runs it in a process of its "
       "own,\n"
       "and says who is right, who is fast, and what to try next; --check does that with one file, "
       "on\n"
       "any machine. Writes grades/WORKLOAD: pages, and grades.csv. docs/grading.md\n"},
      {"tune",
       "Usage: parlab tune <workload> <size>... [options]\n\n"
       "Searches the tunables of each variant for the fastest configuration, and keeps it for\n"
       "'--block best', 'GPU_BLOCK_SIZE=best' and their kin. All configurations are tried when "
       "the\n"
       "budget allows, else those that a search along one tunable at a time leads to. A tunable "
       "that\n"
       "is given, as --block 32:512:32, is searched among these values. Ctrl-C loses nothing.\n"}};
  return helps;
}

void print_command_help(std::ostream& out, const std::string& command) {
  for (const auto& help : command_helps()) {
    if (help.name != command) continue;
    out << help.text << "\nOptions:\n";
    for (auto option : all_options()) {
      if (!option.read_by(command) || option.help.empty()) continue;
      option.variable.clear();
      print_option(out, option);
    }
  }
  out << "\nExit status: 0; 1 when something failed; 2 when the request made no sense.\n";
}

void print_variant(std::ostream& out, const Variant& variant) {
  out << std::right << std::setw(4) << (variant.id >= 0 ? std::to_string(variant.id) : "") << "  "
      << std::left << std::setw(34) << variant.full_name();
  for (const auto dtype : variant.dtypes) out << ' ' << to_string(dtype);
  for (const auto& tunable : variant.tunables) out << "\n        " << tunable_line(tunable);
  out << '\n';
  if (!variant.idea.empty()) print_indented(out, variant.idea, 8);
  if (!variant.hardware.empty()) {
    print_indented(out, "needs " + variant.hardware + ": not emulated", 8);
  }
}

void print_variants(std::ostream& out, const Workload& workload) {
  out << workload.name() << ": " << workload.summary() << '\n';
  for (const auto* variant : Registry::instance().variants(workload.name())) {
    print_variant(out, *variant);
  }
}

bool has_tunable(const Workload& workload, const std::string& name) {
  const auto variants = Registry::instance().variants(workload.name());
  return std::any_of(variants.begin(), variants.end(),
                     [&](const Variant* variant) { return variant->tunable(name) != nullptr; });
}

}  // namespace

void print_usage(std::ostream& out, const Request& request) {
  const Workload* workload = request.plan.workload;
  if (workload == nullptr) {
    out << "Usage: " << request.program << " <workload> <size>... [options]\n\n";
    print_workloads(out);
    out << "\nNext: '" << request.program << " <workload>' shows its kernels, '" << request.program
        << " --help' the options.\n";
    return;
  }
  const auto size = size_argument(*workload);
  out << "Usage: [GPU_KERNEL=<kernel_no>] [GPU_BLOCK_SIZE=<size>] " << request.program << ' '
      << size << as_one_problem(*workload, request.program)
      << "\n\nGPU_KERNEL defaults to 0, GPU_BLOCK_SIZE to " << block_fallback(*workload)
      << ".\nAvailable kernels [id:name]:\n";
  for (const auto* variant : kernels_by_number(*workload)) {
    std::string label = std::to_string(variant->id) + ":" + variant->name;
    label.resize(std::max<std::size_t>(label.size(), 22), ' ');
    const auto lines = wrap(variant->idea, width - label.size() - 5);
    out << "    " << label << ' ' << lines[0] << (lines.size() > 1 ? " ..." : "") << '\n';
  }
  out << "\nWithout these variables, or with any option: a table of all variants.\n"
      << "Next: '" << request.program << " 1024', '" << request.program << " --help', '"
      << request.program << " --list'.\n";
}

void print_help(std::ostream& out, const Request& request) {
  if (!request.command.empty()) return print_command_help(out, request.command);
  const bool known = request.plan.workload != nullptr;
  const std::string image = " --image FILE --filter gaussian:2.5 --output FILE\n";
  const bool filters = known && request.plan.workload->name() == filtering_workload;
  out << "Usage: " << request.program << (known ? "" : " <workload>") << " <size>... [options]\n"
      << (filters ? "       " + request.program + image : "")
      << (known ? ""
                : "       parlab show|compare|merge|tune|grade|export|claims|page|index|machine\n"
                  "       ('parlab compare --help' says more; so with the others)\n"
                  "       parlab " +
                      std::string(filtering_workload) + image)
      << "\nRuns, verifies and measures every variant of a workload at every size.\n"
      << "  size: 4096 (square), 300x1000, 1K = 1024; several: 1K 2K, or 1K,2K, or 1K:16K:*2\n"
      << "  LIST: 16 or 16,32,64 or 16:512:16 (step) or 16:512:*2 (factor)\n\n"
      << "Options, each also an environment variable; the command line wins:\n";
  std::string others;  // tunables of single workloads: in full where that workload is asked for
  for (const auto& option : all_options()) {
    // Of commands, or with a line of their own above.
    if (!option.of("") || option.help.empty()) continue;
    const bool everywhere = !option.tunable || option.flag == "block" || option.flag == "threads";
    if (!everywhere && !(known && has_tunable(*request.plan.workload, option.flag))) {
      others += (others.empty() ? "" : ", ") + option.flag;
      continue;
    }
    print_option(out, option);
  }
  if (!known) {
    out << "  --NAME LIST           PARLAB_NAME        tunables; --list shows who has them:\n";
    print_indented(out, others, 4);
  }
  out << '\n';
  if (!known) print_workloads(out);
  out << "Exit status: 0; 1 when a variant failed; 2 when the request made no sense.\n";
}

void print_list(std::ostream& out, const Request& request) {
  if (request.plan.workload != nullptr) return print_variants(out, *request.plan.workload);
  for (const auto* workload : Registry::instance().workloads()) print_variants(out, *workload);
}

void print_version(std::ostream& out) {
  out << "parlab " << build_version() << ", commit " << build_commit() << ", compiled by "
      <<
#ifdef __clang__
      "clang " << __clang_version__
#else
      "g++ " << __VERSION__
#endif
      << '\n';
}

}  // namespace parlab
