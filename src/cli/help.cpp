#include <algorithm>
#include <iomanip>
#include <ranges>

#include "cli/command.hpp"
#include "core/build.hpp"
#include "core/text.hpp"
#include "image/filter.hpp"
#include "render/formats.hpp"

namespace parlab {
namespace {

constexpr std::size_t width = 100, help_width = 80;

// "<matrix size>" if one number stands for a square.
std::string size_argument(const Workload& workload) {
  return count_extents(workload) == 1 ? "<size>" : "<matrix size>";
}

// The extents, which a variant for several GPUs divides, without parameters.
std::string dimensions_of(const Workload& workload) {
  return join(workload.dimensions() | std::views::take(count_extents(workload)),
              " x ");
}

// With the course's variables set, one number per extent describes a single
// problem, not a list of sizes.
std::string as_one_problem(const Workload& workload,
                           const std::string& program) {
  const auto extents = count_extents(workload);
  if (extents < 2) return "";
  std::string text = "\n  with either of these also: " + program;
  for (std::size_t i = 0; i < extents; ++i)
    text += " <" + std::string(workload.dimensions()[i]) + ">";
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
  std::erase_if(kernels,
                [](const Variant* variant) { return variant->id < 0; });
  std::ranges::sort(kernels, [](auto* a, auto* b) { return a->id < b->id; });
  return kernels;
}

// A workload's computation; the layout of its arrays follows the first comma
// and is left to --list.
void print_workloads(std::ostream& out) {
  out << "Workloads:\n";
  for (const auto* workload : Registry::instance().workloads()) {
    const auto summary = workload->summary();
    out << "  " << std::left << std::setw(12) << workload->name()
        << summary.substr(0, summary.find(',')) << '\n';
  }
}

std::string tunable_line(const Tunable& tunable) {
  std::string fallback = std::to_string(tunable.fallback);
  if (tunable.fallback == 0 && tunable.name == "threads")
    fallback = "all cores";
  if (tunable.fallback == 0 && tunable.name == "gpus")
    fallback = "all GPUs that pay";
  return "--" + tunable.name + " " + fallback + " (" + tunable.allowed() + ")";
}

// Fills the line up to that column. One that leaves no such gap is printed.
void fill(std::ostream& out, std::string& line, std::size_t column,
          std::size_t gap) {
  if (line.size() + gap > column) {
    out << line << '\n';
    line.clear();
  }
  line.resize(column, ' ');
}

// Text too long for its column continues on the next line.
void print_option(std::ostream& out, const Option& option, bool with_variable) {
  constexpr std::size_t variable_column = 23, help_column = 41;
  const std::size_t column = with_variable ? help_column : variable_column;
  std::string line = "  --" + option.flag +
                     (option.argument.empty() ? "" : " " + option.argument);
  if (with_variable) {
    line.resize(std::max(line.size() + 1, variable_column), ' ');
    line += option.variable;
  }
  for (const auto& part : wrap(option.help, help_width - column)) {
    fill(out, line, column, 1);
    out << line << part << '\n';
    line.clear();
  }
}

void print_command_help(std::ostream& out, const Command& command) {
  const std::string again =
      "\n       parlab " + std::string(command.name) + " ";
  std::string usage(command.usage);
  for (auto line = usage.find('\n'); line != usage.npos;
       line = usage.find('\n', line + again.size()))
    usage.replace(line, 1, again);
  out << "Usage: parlab " << command.name << (usage.empty() ? "" : " ") << usage
      << "\n\n";
  for (const auto& line : wrap(command.help, help_width))
    out << line << '\n';
  out << "\nOptions:\n";
  for (const auto& option : command.options() + common_options()) {
    // Variants are for runs.
    if (!option.help.empty() && option.flag != "list")
      print_option(out, option, false);
  }
  out << "\nExit status: 0; 1 if something failed; 2 for an invalid request.\n";
}

// Prints the names of the commands that people call.
void print_commands(std::ostream& out) {
  const std::string further(9, ' ');
  std::string indent(7, ' ');
  for (const auto& line :
       wrap("parlab <command> [--help], of " + join(command_names(), ", "),
            help_width - further.size())) {
    out << indent << line << '\n';
    indent = further;
  }
}

// Commands for programs: this one, or without a name all that people call.
Document list_of_commands(const Command& subject) {
  Table commands{.key = "command",
                 .columns = keyed({"command", "usage", "help"})};
  for (const auto* command : all_commands()) {
    const bool is_asked_for = subject.name.empty()
                                  ? !command->hidden && !command->name.empty()
                                  : command->name == subject.name;
    if (is_asked_for) {
      commands.add({command->name, command->usage, command->help});
    }
  }
  return {.blocks = {commands}};
}

Document list_of(const std::vector<const Workload*>& workloads) {
  Document document;
  Table programs{.key = "variant",
                 .columns = keyed({"workload", "backend", "variant", "id",
                                   "dtypes", "tunables", "idea", "hardware"})};
  for (const auto* workload : workloads) {
    Table people{.columns = {{.right = true}, {}, {}}};
    const auto say = [&](const std::string& text) {
      if (!text.empty()) people.add({"", "    " + text});
    };
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      const auto dtypes = join(variant->dtypes, " ", as_text);
      const auto id = variant->id < 0 ? Text() : Text(variant->id);
      std::vector<std::string> tunables;
      people.add({id.empty() ? "  " : id, variant->full_name(), dtypes});
      for (const auto& tunable : variant->tunables) {
        tunables.push_back(tunable_line(tunable));
        say(tunables.back());
      }
      say(variant->idea);
      if (variant->from_host()) {
        say("its time includes the copies: runs if named with --variant");
      }
      if (!variant->hardware.empty())
        say("needs " + variant->hardware + ": not emulated");
      programs.add({variant->workload, variant->backend, variant->name, id,
                    dtypes, join(tunables, "; "), variant->idea,
                    variant->hardware});
    }
    document.add(Section{.title = std::string(workload->name()) + ": " +
                                  std::string(workload->summary()),
                         .blocks = {people}});
  }
  document.add(programs);
  return document;
}

bool has_parameter(const Workload& workload, const std::string& name) {
  const auto parameters = workload.parameters();
  return std::ranges::any_of(parameters, [&](const auto& parameter) {
    return parameter.name == name;
  });
}

bool has_tunable(const Workload& workload, const std::string& name) {
  const auto variants = Registry::instance().variants(workload.name());
  return std::ranges::any_of(variants, [&](const Variant* variant) {
    return variant->tunable(name) != nullptr;
  });
}

// Puts options of one title together, in the order of the first of each.
Options in_groups(const Options& options) {
  std::vector<std::string> titles;
  for (const auto& option : options + common_options()) {
    if (std::ranges::find(titles, option.group) == titles.end())
      titles.push_back(option.group);
  }
  Options sorted;
  for (const auto& title : titles) {
    for (const auto& option : options + common_options()) {
      if (option.group == title) sorted.push_back(option);
    }
  }
  return sorted;
}

// Prints commands for a start, for this workload or any.
void print_examples(std::ostream& out, const Arguments& arguments,
                    const Workload* workload) {
  std::string name;
  if (workload == nullptr) {
    workload = Registry::instance().workloads().front();
    name = " " + std::string(workload->name());
  }
  const auto kernels = kernels_by_number(*workload);
  const std::pair<std::string, const char*> examples[] = {
      {"1024", "all variants, compared"},
      {"1K:8K:*2 --results my.jsonl", "several sizes, recorded"},
      {kernels.empty()
           ? "1024 --backend serial"
           : "1024 --kernel " + kernels.front()->name + " --emulate",
       "is it right, without a GPU?"}};
  for (const auto& [typed, meaning] : examples) {
    std::string line = "  " + arguments.program + name + " " + typed;
    fill(out, line, 52, 2);
    out << line << meaning << '\n';
  }
}

}  // namespace

void print_usage(std::ostream& out, const Arguments& arguments) {
  const Workload* workload = arguments.workload;
  if (workload == nullptr) {
    out << "Usage: " << arguments.program
        << " <workload> <size>... [options]\n\n";
    print_workloads(out);
    out << "\nNext: '" << arguments.program
        << " <workload>' shows its kernels, '" << arguments.program
        << " --help' the options.\n";
    return;
  }
  const auto size = size_argument(*workload);
  out << "Usage: [GPU_KERNEL=<kernel_no>] [GPU_BLOCK_SIZE=<size>] "
      << arguments.program << ' ' << size
      << as_one_problem(*workload, arguments.program)
      << "\n\nGPU_KERNEL defaults to 0, GPU_BLOCK_SIZE to "
      << block_fallback(*workload) << ".\nAvailable kernels [id:name]:\n";
  for (const auto* variant : kernels_by_number(*workload)) {
    std::string label = std::to_string(variant->id) + ":" + variant->name;
    label.resize(std::max<std::size_t>(label.size(), 22), ' ');
    const auto lines = wrap(variant->idea, width - label.size() - 5);
    out << "    " << label << ' ' << lines[0]
        << (lines.size() > 1 ? " ..." : "") << '\n';
  }
  out << "\nWithout these variables, or with any option: a table of all "
         "variants.\n"
      << "Next: '" << arguments.program << " 1024', '" << arguments.program
      << " --help', '" << arguments.program << " --list'.\n";
}

void print_help(std::ostream& out, const Arguments& arguments) {
  const Command& command = *arguments.subject;
  // A format in the environment is meant for results.
  const auto* format = arguments.find("format");
  if (format != nullptr && format->from_command_line &&
      format->text == "json") {
    out << json_lines(list_of_commands(command));
    return;
  }
  if (!command.name.empty()) return print_command_help(out, command);
  const Workload* workload = arguments.workload;
  const std::string image =
      " --image FILE --filter gaussian:2.5 --output FILE\n";
  if (workload != nullptr) {
    out << "Usage: " << arguments.program << " <size>... [options]\n";
    if (workload->name() == filtering_workload)
      out << "       " << arguments.program << image;
  } else {
    out << "Usage: " << arguments.program << " <workload> <size>... [options]\n"
        << "       parlab " << filtering_workload << image;
    print_commands(out);
  }
  out << "\nRuns, verifies and measures every variant of a workload at every "
         "size:\n";
  print_examples(out, arguments, workload);
  if (workload != nullptr) {
    out << "  dimensions: " << dimensions_of(*workload) << '\n';
    if (const auto extents = count_extents(*workload); extents > 1)
      out << (extents == 2 ? "  300 1000: two" : "  300 1000 200: three")
          << " squares; with GPU_KERNEL or GPU_BLOCK_SIZE, one problem\n";
  }
  out << "  size: 4096 (square), 300x1000, 1K = 1024, 64MiB; several: 1K,2K or "
         "1K:16K:*2\n"
      << "  LIST: 16 or 16,32,64 or 16:512:16 (step) or 16:512:*2 (factor)\n\n"
      << "Options, each also an environment variable; the command line wins\n";
  std::string title;
  for (const auto& option : in_groups(command.options())) {
    // Options of one workload, and rare ones, need a named workload.
    if (option.help.empty() ||
        (workload == nullptr
             ? option.rare
             : (option.tunable && !has_tunable(*workload, option.flag)) ||
                   (option.parameter &&
                    !has_parameter(*workload, option.flag)))) {
      continue;
    }
    if (option.group != title) out << option.group << ":\n";
    title = option.group;
    print_option(out, option, true);
  }
  if (workload == nullptr) {
    out << "More of them, and tunables such as --tile: '" << arguments.program
        << " <workload> --help'.\n";
    const auto names =
        join(Registry::instance().workloads(), ", ", &Workload::name);
    for (const auto& line : wrap("Workloads: " + names, help_width))
      out << line << '\n';
  }
  out << (workload == nullptr ? "" : "\n")
      << "Exit status: 0; 1 if a variant failed; 2 for an invalid request.\n"
         "Words such as point, rung or limit: docs/reference/glossary.md\n";
}

int print_list(const Arguments& arguments, const Streams& streams) {
  const auto format = format_of(arguments, {"table", "json"});
  std::vector<const Workload*> workloads{arguments.workload};
  if (arguments.workload == nullptr)
    workloads = Registry::instance().workloads();
  streams.print(list_of(workloads), format);
  return EXIT_SUCCESS;
}

namespace {

int say_help(const Arguments& arguments, const Streams& streams) {
  print_help(streams.out, arguments);
  return EXIT_SUCCESS;
}

int say_version(const Arguments&, const Streams& streams) {
  streams.out << "parlab " << build_version() << ", commit " << build_commit()
              << ", compiled by "
              <<
#ifdef __clang__
      "clang " << __clang_version__
#else
      "g++ " << __VERSION__
#endif
              << '\n';
  return EXIT_SUCCESS;
}

// Every command has these.
const CommandRegistration help_command({.name = "--help",
                                        .run = say_help,
                                        .hidden = true}),
    list_command({.name = "--list",
                  .options = [] { return format_option("table, json"); },
                  .run = print_list,
                  .hidden = true}),
    version_command({.name = "--version", .run = say_version, .hidden = true});

}  // namespace
}  // namespace parlab
