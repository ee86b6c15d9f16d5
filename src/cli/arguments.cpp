// Reads the command line and the environment with Boost.Program_options.
#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>

#include "cli/command.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"

extern char** environ;

namespace parlab {
namespace {

namespace po = boost::program_options;

// The options of all commands, each once: options may stand before the
// command's name.
Options options_of_all() {
  Options all;
  for (const auto* command : all_commands()) {
    for (const auto& option : command->options()) {
      if (option_called(all, option.flag) == nullptr) all.push_back(option);
    }
  }
  return all + common_options();
}

// "-5" is a number, not an option: it belongs to the option before it, or is a
// size.
std::vector<std::string> with_negative_numbers(
    const std::vector<std::string>& words, const Options& options,
    std::vector<std::string>& positional) {
  std::vector<std::string> rest;
  for (const auto& word : words) {
    if (word.size() < 2 || word[0] != '-' || !std::isdigit(word[1])) {
      rest.push_back(word);
      continue;
    }
    const auto* option = rest.empty() || !rest.back().starts_with("--")
                             ? nullptr
                             : option_called(options, rest.back().substr(2));
    if (option != nullptr && !option->argument.empty()) {
      rest.back() += "=" + word;
    } else {
      positional.push_back(word);
    }
  }
  return rest;
}

// Boost's errors in the words of this program.
[[noreturn]] void rethrow(const po::error& error, const Options& options) {
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
    const auto* option = option_called(
        options, name.substr(std::min<std::size_t>(2, name.size())));
    if (repeated)
      throw UsageError(name + ": given twice (a list is written 16,32)");
    if (option != nullptr && !option->argument.empty())
      throw UsageError(name + ": needs a value, " + option->argument);
    if (option != nullptr) throw UsageError(name + ": takes no value");
  }
  throw UsageError(error.what());
}

void read_words(const std::vector<std::string>& words, const Options& options,
                Arguments& arguments) {
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
  const auto rest = with_negative_numbers(words, options, negative);
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
      arguments.positional = value.as<std::vector<std::string>>();
    } else {
      const auto& argument = option_called(options, flag)->argument;
      const auto text = argument.empty() ? "1" : value.as<std::string>();
      // It is the next option.
      if (text.starts_with("--"))
        throw UsageError("--" + flag + ": needs a value, " + argument +
                         ", before " + text);
      arguments.by_flag[flag] = {.name = "--" + flag,
                                 .text = text,
                                 .from_command_line = true,
                                 .is_switch = argument.empty()};
    }
  }
  arguments.positional.insert(arguments.positional.end(), negative.begin(),
                              negative.end());
}

// Read if kernels are emulated: the order of blocks and threads.
constexpr const char* seed_variable = "PARLAB_SEED";
// Read if the host's BLAS is loaded: the library to use.
constexpr const char* blas_variable = "PARLAB_BLAS";

void check_seed(const Environment& environment) {
  const auto seed = environment.find(seed_variable);
  if (seed == environment.end() || seed->second.empty()) return;
  if (number_in<std::uint64_t>(seed->second)) return;
  throw UsageError(as_written(seed_variable, seed->second) +
                   ": allowed is a whole number below 2^64");
}

void read_variables(const Environment& environment, const Options& options,
                    Arguments& arguments) {
  std::vector<std::string> known{seed_variable, blas_variable};
  for (const auto& option : options) {
    if (option.variable.empty()) continue;
    known.push_back(option.variable);
    const auto found = environment.find(option.variable);
    if (found == environment.end() || found->second.empty()) continue;
    const Setting setting{.name = option.variable, .text = found->second};
    if (option.argument.empty() && setting.text != "0" && setting.text != "1")
      setting.refuse("allowed are 0 and 1");
    arguments.by_flag.insert({option.flag, setting});
  }
  check_seed(environment);
  for (const auto& [name, text] : environment) {
    if (!name.starts_with("PARLAB_") ||
        std::ranges::find(known, name) != known.end())
      continue;
    arguments.warnings.push_back(as_written(name, text) +
                                 ": unknown variable, ignored" +
                                 did_you_mean(name, known));
  }
}

// The command as it could be retyped, with the variables that took effect.
std::string typed_again(const Arguments& arguments) {
  std::vector<std::string> words;
  for (const auto& [flag, setting] : arguments.by_flag) {
    if (!setting.from_command_line)
      words.push_back(setting.name + "=" + shell_quoted(setting.text));
  }
  for (const auto& word : arguments.words)
    words.push_back(shell_quoted(word));
  return join(words, " ");
}

// Takes the word before the sizes: the workload, or the command's name.
void take_subject(Arguments& arguments) {
  const auto called =
      std::filesystem::path(arguments.words.at(0)).filename().string();
  arguments.program = called;
  arguments.subject = command_called("");
  arguments.workload = Registry::instance().workload(called);
  auto& rest = arguments.positional;
  if (!rest.empty() && rest.front() == "help") {
    rest.erase(rest.begin());
    arguments.by_flag["help"] = {.name = "--help", .text = "1"};
  }
  if (arguments.workload != nullptr || rest.empty()) return;
  const auto first = rest.front();
  rest.erase(rest.begin());
  const auto* command = command_called(first);
  if (command != nullptr && !first.empty() && !command->takes_run) {
    arguments.subject = command;
  } else {
    // A link that no workload is called like, with a size: "bin/softmax 65".
    const bool is_size = !first.empty() && first.front() >= '0' &&
                         first.front() <= '9' && !called.starts_with("parlab");
    arguments.workload =
        &workload_called(is_size ? called : first, command_names());
    arguments.program += " " + first;
  }
}

// The command to call; an option can select one too.
const Command* asked_for(const Arguments& arguments) {
  for (const auto* option : {"help", "list", "version"}) {
    if (arguments.on(option)) return command_called(std::string("--") + option);
  }
  if (arguments.subject->name.empty()) {
    for (const auto* command : all_commands()) {
      if (command->takes_run && command->takes_run(arguments)) return command;
    }
  }
  return arguments.subject;
}

// A command refuses an option that it does not have or that would do nothing,
// but not a variable, which may be meant for others.
void require_own_options(const Arguments& arguments, const Command& command) {
  const auto own = command.options() + common_options();
  for (const auto& [flag, setting] : arguments.by_flag) {
    if (!setting.from_command_line) continue;
    if (const auto* option = option_called(own, flag)) {
      const auto other = arguments.text(option->needs);
      if (!option->needs.empty() && (other.empty() || other == "0"))
        setting.refuse("is for --" + option->needs);
      continue;
    }
    std::vector<std::string> whose;
    bool of_runs = false;
    for (const auto* other : all_commands()) {
      if (option_called(other->options(), flag) == nullptr) continue;
      of_runs |= other->name.empty();
      if (!other->takes_run) whose.emplace_back(other->name);
    }
    throw UsageError(
        setting.name + ": is an option of " +
        (of_runs ? "runs" : "'parlab " + join(whose, "', 'parlab ") + "'") +
        (command.name.empty()
             ? ""
             : "; '" + std::string(command.name) + "' has none of this name"));
  }
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

Arguments read_arguments(const std::vector<std::string>& words,
                         const Environment& environment) {
  const auto options = options_of_all();
  Arguments arguments;
  arguments.words = words;
  read_words({words.begin() + 1, words.end()}, options, arguments);
  read_variables(environment, options, arguments);
  arguments.typed = typed_again(arguments);
  take_subject(arguments);
  arguments.command = asked_for(arguments);
  const Command& command = *arguments.command;
  if (arguments.positional.size() < command.least) {
    throw UsageError(std::string(command.name) + ": needs " +
                     std::string(command.needs));
  }
  if (!command.name.starts_with("--") || command.name == "--list")
    require_own_options(arguments, command);
  return arguments;
}

}  // namespace parlab
