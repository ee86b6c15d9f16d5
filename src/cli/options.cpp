#include "cli/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <set>

#include "core/text.hpp"
#include "core/variant.hpp"

extern char** environ;

namespace parlab {
namespace {

namespace po = boost::program_options;

// "block" -> "GPU_BLOCK_SIZE", "tile_width" -> "PARLAB_TILE_WIDTH"
std::string variable_of(const std::string& tunable) {
  if (tunable == "block") return "GPU_BLOCK_SIZE";
  if (tunable == "threads") return "OMP_NUM_THREADS";
  std::string variable = "PARLAB_" + tunable;
  for (auto& c : variable)
    c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return variable;
}

const Option* option_of(const std::vector<Option>& options,
                        std::string_view flag) {
  const auto found =
      std::find_if(options.begin(), options.end(),
                   [&](const Option& option) { return option.flag == flag; });
  return found == options.end() ? nullptr : &*found;
}

// "-5" is a number and not an option: it belongs to the option
// before it, or is a size.
std::vector<std::string> with_negative_numbers(
    const std::vector<std::string>& arguments,
    const std::vector<Option>& options,
    std::vector<std::string>& positional) {
  std::vector<std::string> rest;
  for (const auto& argument : arguments) {
    if (argument.size() < 2 || argument[0] != '-' ||
        !std::isdigit(argument[1])) {
      rest.push_back(argument);
      continue;
    }
    const auto* option = rest.empty() || !rest.back().starts_with("--")
                             ? nullptr
                             : option_of(options, rest.back().substr(2));
    if (option != nullptr && !option->argument.empty()) {
      rest.back() += "=" + argument;
    } else {
      positional.push_back(argument);
    }
  }
  return rest;
}

// Boost's errors in the words of this program.
[[noreturn]] void rethrow(const po::error& error,
                          const std::vector<Option>& options) {
  std::vector<std::string> flags;
  for (const auto& option : options)
    flags.push_back("--" + option.flag);
  if (const auto* unknown = dynamic_cast<const po::unknown_option*>(&error)) {
    const auto name = unknown->get_option_name();
    throw UsageError(name + ": unknown option" + did_you_mean(name, flags) +
                     " (see --help)");
  }
  if (const auto* named =
          dynamic_cast<const po::error_with_option_name*>(&error)) {
    const auto name = named->get_option_name();
    const bool repeated =
        dynamic_cast<const po::multiple_occurrences*>(&error) != nullptr;
    const auto* option =
        option_of(options, name.substr(std::min<std::size_t>(2, name.size())));
    if (repeated)
      throw UsageError(name + ": given twice (a list is written 16,32)");
    if (option != nullptr && !option->argument.empty()) {
      throw UsageError(name + ": needs a value, " + option->argument);
    }
    if (option != nullptr) throw UsageError(name + ": takes no value");
  }
  throw UsageError(error.what());
}

void read_arguments(const std::vector<std::string>& arguments,
                    const std::vector<Option>& options,
                    Settings& settings) {
  po::options_description description;
  for (const auto& option : options) {
    const std::string name = option.flag == "help" ? "help,h" : option.flag;
    if (option.argument.empty()) {
      description.add_options()(name.c_str(), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::string>(), "");
    }
  }
  description.add_options()("positional",
                            po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("positional", -1);
  std::vector<std::string> negative;
  const auto rest = with_negative_numbers(arguments, options, negative);
  po::variables_map given;
  try {
    const auto style = po::command_line_style::default_style &
                       ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(rest)
                  .options(description)
                  .positional(positional)
                  .style(style)
                  .run(),
              given);
  } catch (const po::error& error) {
    rethrow(error, options);
  }
  for (const auto& [flag, value] : given) {
    if (flag == "positional") {
      settings.positional = value.as<std::vector<std::string>>();
    } else {
      const bool has_text = !option_of(options, flag)->argument.empty();
      settings.by_flag[flag] = {"--" + flag,
                                has_text ? value.as<std::string>() : "1", true};
    }
  }
  settings.positional.insert(settings.positional.end(), negative.begin(),
                             negative.end());
}

// Read where kernels are emulated: the order of blocks and threads.
constexpr const char* seed_variable = "PARLAB_SEED";
// Read where the host's BLAS is loaded: which library it is.
constexpr const char* blas_variable = "PARLAB_BLAS";

void check_seed(const Environment& environment) {
  const auto seed = environment.find(seed_variable);
  if (seed == environment.end() || seed->second.empty()) return;
  std::uint64_t value = 0;
  const auto& text = seed->second;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) {
    throw UsageError(as_written(seed_variable, text) +
                     ": allowed is a whole number below 2^64");
  }
}

void warn_of_unknown(const Environment& environment,
                     const std::vector<Option>& options,
                     Settings& settings) {
  std::vector<std::string> known{seed_variable, blas_variable};
  for (const auto& option : options) {
    if (!option.variable.empty()) known.push_back(option.variable);
  }
  for (const auto& [name, text] : environment) {
    if (!name.starts_with("PARLAB_")) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    settings.warnings.push_back(as_written(name, text) +
                                ": unknown variable, ignored" +
                                did_you_mean(name, known));
  }
}

// In the order of --help. What is rare is listed where a workload is named.
std::vector<Option> options_of_runs() {
  std::vector<Option> options{
      {"kernel", "GPU_KERNEL", "LIST", "kernels on the GPU, by number or name"},
      {"backend", "BACKEND", "LIST", "of serial,openmp,blas,cuda"},
      {"variant", "PARLAB_VARIANT", "LIST", "exactly these: openmp/rows"},
      {"dtype", "PARLAB_DTYPE", "LIST", "of float,double,int,half,bfloat16"},
      {"cache", "PARLAB_CACHE", "LIST", "of hot,cold: before each sample"},
      {"device", "PARLAB_DEVICE", "LIST", "GPUs by number, or all (0)"},
      {"iterations", "NR_ITER", "N", "exactly this many samples of each"},
      {"time-limit", "PARLAB_TIME_LIMIT", "SECONDS",
       "for one measurement (1; a table 0.1)"},
      {"format", "PARLAB_FORMAT", "NAME",
       "table, csv, json, record (the course's)"},
      {"results", "PARLAB_RESULTS", "FILE",
       "append records, and resume from them"},
      {"force", "PARLAB_FORCE", "", "measure again what is recorded already"},
      {"counters", "PARLAB_COUNTERS", "", "the GPU's counters too, by ncu"},
      {"explain", "", "", "registers and occupancy, not times"},
      {"emulate", "PARLAB_EMULATE", "", "CUDA on the CPU: verified, not timed"},
      // Of an image: both are in the usage line of the workload that filters.
      {"image", "", "FILE", ""},
      {"filter", "", "FILTER", ""},
  };
  std::vector<Option> rare{
      {"energy", "PARLAB_ENERGY", "",
       "joules too, by NVML or RAPL: half a minute for each"},
      {"precision", "PARLAB_PRECISION", "X",
       "half width of the 95 % interval (0.01)"},
      {"point-limit", "PARLAB_POINT_LIMIT", "SECONDS",
       "no larger size after an execution this long"},
      {"execution-limit", "PARLAB_EXECUTION_LIMIT", "SECONDS",
       "end an execution this long (60, and 50 times what is expected)"},
      {"machine", "MACHINE", "NAME",
       "call this machine so, in place of its own name"},
      {"node", "PARLAB_NODE", "NAME", "of the host, kept with its records"},
      {"resume", "PARLAB_RESUME", "LIST",
       "files, folders: what they record is measured already"},
      {"shard", "PARLAB_SHARD", "I/N",
       "only this part of the points, 3/20; N jobs take them all"},
      {"plan", "PARLAB_PLAN", "FILE",
       "cut the shards from these lines, printed by --estimate"},
      {"estimate", "", "",
       "print what is not recorded yet, with seconds; measure nothing"},
      {"tuned", "PARLAB_TUNED", "FILE",
       "what 'parlab tune' found, for --block best and its kin"},
      {"in-process", "PARLAB_IN_PROCESS", "",
       "without a worker process: for debuggers"},
  };
  for (auto& option : rare) {
    option.rare = true;
    options.push_back(std::move(option));
  }
  return options;
}

std::vector<Option> options_of_commands() {
  using Commands = std::vector<std::string>;
  std::vector<Option> options;
  const auto add = [&](const Commands& commands, const char* flag,
                       const char* argument, const char* help) {
    options.push_back({.flag = flag,
                       .argument = argument,
                       .help = help,
                       .commands = commands});
  };
  add({"page", "index"}, "figures", "FOLDER",
      "where figures are (plots/MACHINE)");
  add({"page", "index", "grade"}, "output", "FILE",
      "the page (FOLDER/index.html)");
  add({"grade"}, "sizes", "LIST", "of the hand-out; the last is timed");
  add({"grade"}, "hidden", "LIST",
      "more sizes, in place of those that are drawn");
  add({"grade"}, "reference", "VARIANT",
      "whose time has all points (the library)");
  add({"grade"}, "points", "RULE", "'full within 1.2x, linear to 0 at 10x'");
  add({"grade"}, "anonymous", "", "no names on the page of the class");
  add({"grade"}, "check", "", "of one file: is it right?");
  add({"grade"}, "seed", "N", "of the inputs and of the hidden sizes (drawn)");
  add({"database"}, "views", "FILE",
      "SQL that makes the views of an experiment");
  add({"show", "compare"}, "workload", "LIST", "as dmv,matmul");
  add({"show", "compare"}, "size", "LIST",
      "4K, 300x1000, or a range 1K:16K:*2");
  add({"show"}, "verdict", "LIST", "as wrong_result, or failed: all of those");
  add({"compare"}, "margin", "PERCENT",
      "a change up to this is none (2%; one run on a side: 5%)");
  add({"compare"}, "fail-if-slower", "PERCENT",
      "exit 1 when a point is slower by this");
  add({"machine"}, "measure", "",
      "measure its ceilings, and how far runs differ, anew");
  add({"machine"}, "name", "", "print its name and nothing else");
  add({"machine"}, "kind", "",
      "its name without what tells it from its equals");
  add({"tune"}, "budget", "SECONDS", "for each variant, dtype and size (60)");
  return options;
}

std::vector<Option> options_of_all() {
  return {{"list", "", "", "every variant, its tunables and limits"},
          {"help", "", "", "this text"},
          {"version", "", "", "the version"}};
}

std::vector<Option> parameters() {
  std::vector<Option> options;
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto& parameter : workload->parameters()) {
      const std::string help = std::string(workload->name()) + ": " +
                               parameter.allowed() + " (" +
                               std::to_string(parameter.fallback) + ")";
      if (const auto* same =
              option_of(options, parameter.name)) {  // of another workload
        options[static_cast<std::size_t>(same - options.data())].help +=
            ", " + help;
        continue;
      }
      options.push_back({.flag = parameter.name,
                         .variable = variable_of(parameter.name),
                         .argument = "LIST",
                         .help = "of the problem " + help,
                         .rare = true,
                         .parameter = true});
    }
  }
  return options;
}

std::vector<Option> tunables() {
  std::map<std::string, std::set<std::string>> users;  // tunable -> workloads
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      for (const auto& tunable : variant->tunables) {
        users[tunable.name].insert(std::string(workload->name()));
      }
    }
  }
  const std::map<std::string, std::string> everyday{
      {"block", "threads in a block of the GPU"},
      {"threads", "threads of the CPU"}};
  std::vector<Option> options;
  for (const auto& [name, workloads] : users) {
    const auto said = everyday.find(name);
    std::string help =
        said != everyday.end()
            ? said->second
            : "of " + join({workloads.begin(), workloads.end()}, ", ");
    if (name == "gpus")
      help = "GPUs that share one problem; runs variants for several";
    options.push_back({.flag = name,
                       .variable = variable_of(name),
                       .argument = "LIST",
                       .help = help,
                       .rare = said == everyday.end(),
                       .tunable = true});
  }
  return options;
}

}  // namespace

Environment environment_of_process() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = std::min(text.find('='), text.size());
    environment.emplace(text.substr(0, equals),
                        text.substr(std::min(equals + 1, text.size())));
  }
  return environment;
}

std::vector<Option> all_options() {
  auto options = options_of_runs();
  for (auto more :
       {options_of_commands(), parameters(), tunables(), options_of_all()}) {
    std::move(more.begin(), more.end(), std::back_inserter(options));
  }
  return options;
}

bool Option::of(const std::string& command) const {
  if (commands.empty()) return command.empty();
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

bool Option::read_by(const std::string& command) const {
  static const std::map<std::string, std::set<std::string>> shared{
      {"show", {"backend", "variant", "dtype", "cache", "format", "explain"}},
      {"compare", {"backend", "variant", "dtype", "cache", "format"}},
      {"claims", {"format"}},
      {"query", {"format"}},
      {"machine", {"machine"}},
      {"grade", {"dtype", "execution-limit"}},
      {"image",
       {"image", "filter", "output", "kernel", "backend", "variant", "dtype",
        "emulate"}},
      {"tune",
       {"kernel", "backend", "variant", "dtype", "time-limit",
        "execution-limit", "precision", "iterations", "device", "machine",
        "node", "format", "tuned", "force", "in-process"}}};
  if (of(command) || flag == "help" || flag == "list" || flag == "version")
    return true;
  if ((tunable || parameter) && (command == "tune" || command == "image"))
    return true;
  const auto found = shared.find(command);
  return found != shared.end() && found->second.count(flag) > 0;
}

const Setting* Settings::find(const std::string& flag) const {
  const auto found = by_flag.find(flag);
  return found == by_flag.end() ? nullptr : &found->second;
}

bool Settings::on(const std::string& flag) const {
  const auto* setting = find(flag);
  return setting != nullptr && setting->text == "1";
}

Settings read_settings(const std::vector<std::string>& arguments,
                       const Environment& environment) {
  const auto options = all_options();
  Settings settings;
  read_arguments(arguments, options, settings);
  for (const auto& option : options) {
    const auto found = environment.find(option.variable);
    if (found == environment.end() || found->second.empty()) continue;
    if (option.argument.empty() && found->second != "0" &&
        found->second != "1") {
      throw UsageError(as_written(option.variable, found->second) +
                       ": allowed are 0 and 1");
    }
    settings.by_flag.insert(
        {option.flag, {option.variable, found->second, false}});
  }
  check_seed(environment);
  warn_of_unknown(environment, options, settings);
  return settings;
}

}  // namespace parlab
