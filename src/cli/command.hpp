// Each command is one file under commands/, which registers its name, options,
// help and action. main() reads the command line and calls one of them.
#pragma once

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload.hpp"
#include "render/formats.hpp"

namespace parlab {

struct Option {
  std::string flag;           // "block"
  std::string variable = {};  // "GPU_BLOCK_SIZE"; empty: no variable sets it
  std::string argument = {};  // its argument, for --help; empty: a switch
  std::string help = {};      // empty: left out of --help, or only in the usage
                              // line
  std::string needs = {};     // without that option it would do nothing
  bool rare = false;          // shown in --help only if a workload is named
  bool tunable = false;
  bool parameter = false;  // a problem's parameter, such as a filter's radius
  std::string group = {};  // its title in --help
};
using Options = std::vector<Option>;
const Option* option_called(const Options& options, std::string_view flag);
Options operator+(Options some, const Options& more);

// An option or variable that was given.
struct Setting {
  std::string name;  // as the user wrote it: "--block" or "GPU_BLOCK_SIZE"
  std::string text;
  bool from_command_line = false;
  bool is_switch = false;  // an option without a value

  // "--block 2000", "GPU_BLOCK_SIZE=2000", "--sass"
  std::string written() const;
  // Throws UsageError: "--block 2000: why".
  [[noreturn]] void refuse(const std::string& why) const;
  // The items of a list, each converted, without repetitions. If convert
  // complains, the error names this setting.
  template <typename F>
  auto values(F convert) const;

 private:
  std::vector<std::string> words() const;
};

struct Command;
using Environment = std::map<std::string, std::string>;

struct Arguments {
  std::vector<std::string> words;  // all, with the program's name first
  std::string program;  // as called, for the usage text: "dmv", "parlab dmv"
  std::string typed;    // as it could be retyped, with its variables
  const Command* command = nullptr;        // what to call
  const Command* subject = nullptr;        // the topic of --help
  const Workload* workload = nullptr;      // for a run; nullptr: none is named
  std::map<std::string, Setting> by_flag;  // the given settings
  std::vector<std::string> positional;     // after the command's name
  std::vector<std::string> warnings;       // one line each

  const Setting* find(const std::string& flag) const;  // nullptr: not given
  bool on(const std::string& flag) const;              // for a switch
  // otherwise: the result if it is not given.
  std::string text(const std::string& flag,
                   const std::string& otherwise = {}) const;
};

struct Streams {
  std::ostream &out, &messages;
  Looks looks = {};  // of `out`
  void warn(const std::vector<std::string>& warnings) const;
  // format: see formatted(), as format_of() gives it
  void print(const auto& said, std::string_view format = "table") const {
    out << formatted(said, looks, format);
  }
  // A document for people, or a table for programs.
  void print(const Document& document, const Table& table,
             std::string_view format) const {
    format == "table" ? print(document) : print(table, format);
  }
};

struct Command {
  // "show"; empty for runs, which are called by the name of their workload
  std::string_view name;
  std::string_view usage = {};  // after the name: "<records>... [options]"
  // Its first sentence is the one-line summary.
  std::string_view help = {};
  // Called each time, because variants bring tunables.
  Options (*options)() = [] { return Options{}; };
  // Returns the exit status.
  int (*run)(const Arguments& arguments, const Streams& streams);
  std::size_t least = 0;        // the least number of words
  std::string_view needs = {};  // and their names
  bool hidden = false;          // for scripts and parlab itself
  // Whether a run with these arguments is this command.
  bool (*takes_run)(const Arguments& arguments) = nullptr;
  // It prints the warnings of its arguments itself, once it is sure to
  // continue.
  bool warns = false;
};

// To be a static object in the command's file.
struct CommandRegistration {
  explicit CommandRegistration(const Command& command);
};

// Sorted by name.
std::vector<const Command*> all_commands();
// The names of commands that people call.
std::vector<std::string> command_names();
const Command* command_called(std::string_view name);
// The options of every command: --list, --help, --version.
Options common_options();
// The options of runs, in the order of --help; other commands share some of
// them, those with these flags.
Options run_options();
Options run_options(const std::vector<std::string>& flags);
// --format of a command whose formats are these, and markdown.
Options format_option(const std::string& formats);
// One for each parameter of a workload and for each tunable of a variant.
Options problem_options();

Environment environment_of_process();

// Reads the command line and the environment; the command line wins. words:
// with the program's name first; if that is a workload's name, it runs this
// one. Throws UsageError with one line: the option or variable, its value, and
// what is allowed.
Arguments read_arguments(const std::vector<std::string>& words,
                         const Environment& environment);

// Carries out the arguments; returns the exit status.
int call(const Arguments& arguments, Streams streams);

// ---- help.cpp ---------------------------------------------------------------

// Printed if there are too few arguments.
void print_usage(std::ostream& out, const Arguments& arguments);
// One screen about arguments.subject.
void print_help(std::ostream& out, const Arguments& arguments);
// Every variant with its limits.
int print_list(const Arguments& arguments, const Streams& streams);

// ---- for commands -----------------------------------------------------------

// The workload of that name. others: other names that may be meant. Throws
// UsageError.
const Workload& workload_called(const std::string& name,
                                const std::vector<std::string>& others = {});

// One of a command's formats, by default the first. A variable with another
// format is ignored: it is meant for runs, and scripts must not depend on it.
// "markdown" is "table" with the looks that call() sets. Throws UsageError.
std::string format_of(const Arguments& arguments,
                      std::vector<std::string> formats);

template <typename F>
auto Setting::values(F convert) const {
  std::vector<decltype(convert(std::string()))> values;
  for (const auto& word : words()) {
    try {
      const auto value = convert(word);
      if (std::ranges::find(values, value) == values.end())
        values.push_back(value);
    } catch (const UsageError& error) {
      refuse(error.what());
    }
  }
  return values;
}

}  // namespace parlab
