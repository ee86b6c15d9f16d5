// Commands: each is one file under commands/, which registers its name, its
// options, its help and what it does. The entrance reads what was typed and
// calls one of them.
#pragma once

#include <algorithm>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/workload.hpp"
#include "render/terminal.hpp"

namespace parlab {

struct Option {
  std::string flag;           // "block"
  std::string variable = {};  // "GPU_BLOCK_SIZE"; empty: it is only typed
  std::string argument = {};  // what it takes, for --help; empty: a switch
  std::string help = {};      // empty: not in --help, or in the usage line
  bool rare = false;          // in --help only where a workload is named
  bool tunable = false;
  bool parameter = false;  // of a problem: a filter's radius
  std::string group = {};  // under which title of --help
};
using Options = std::vector<Option>;
const Option* option_called(const Options& options, std::string_view flag);
Options operator+(Options some, const Options& more);

// An option or variable that was given.
struct Setting {
  std::string name;  // as the user wrote it: "--block" or "GPU_BLOCK_SIZE"
  std::string text;
  bool from_command_line = false;

  std::string written() const;  // "--block 2000", "GPU_BLOCK_SIZE=2000"
  // Throws UsageError: "--block 2000: why".
  [[noreturn]] void refuse(const std::string& why) const;
  // The words of a list, each converted, without repetitions. A complaint of
  // convert is refused in the name of this setting.
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
  std::string typed;    // as it could be typed again, with its variables
  const Command* command = nullptr;        // what to call
  const Command* subject = nullptr;        // what --help is about
  const Workload* workload = nullptr;      // of a run; nullptr: none is named
  std::map<std::string, Setting> by_flag;  // those that were given
  std::vector<std::string> positional;     // behind the command's name
  std::vector<std::string> warnings;       // one line each

  const Setting* find(const std::string& flag) const;  // nullptr: not given
  bool on(const std::string& flag) const;              // of a switch
  std::string text(const std::string& flag) const;     // "": not given
};

struct Streams {
  std::ostream &out, &messages;
  Looks looks = {};  // of out
  void warn(const std::vector<std::string>& warnings) const;
};

struct Command {
  // "show"; empty: runs, which are called by the name of their workload
  std::string_view name;
  std::string_view usage = {};  // behind the name: "<records>... [options]"
  // Its first sentence says in a line what it is for.
  std::string_view help = {};
  // Asked each time: variants bring tunables.
  Options (*options)() = [] { return Options{}; };
  // Returns the exit status.
  int (*run)(const Arguments& arguments, const Streams& streams);
  std::size_t least = 0;        // words that it needs
  std::string_view needs = {};  // which these are
  bool hidden = false;          // for scripts and for parlab itself
  // A run that is so asked is this command.
  bool (*takes_run)(const Arguments& arguments) = nullptr;
  // It says the warnings of its arguments when it is sure to stay.
  bool warns = false;
};

// A static object of the command's file.
struct CommandRegistration {
  explicit CommandRegistration(const Command& command);
};

// By name.
std::vector<const Command*> all_commands();
// The names of those that people call.
std::vector<std::string> command_names();
const Command* command_called(std::string_view name);
// The options of every command: --list, --help, --version.
Options common_options();

Environment environment_of_process();

// Reads the command line and the environment, where the command line wins.
// words: with the program's name first; called by the name of a workload it
// runs that one. Throws UsageError with one line: the option or variable, its
// value, what is allowed.
Arguments read_arguments(const std::vector<std::string>& words,
                         const Environment& environment);

// Does what the arguments ask for; its exit status.
int call(const Arguments& arguments, Streams streams);

// The workload of that name. others: what may be meant as well. Throws
// UsageError.
const Workload& workload_called(const std::string& name,
                                const std::vector<std::string>& others = {});

// One of the formats of a command, the first by default. A variable that asks
// for another format is meant for runs, and what scripts read does not depend
// on one. "markdown" is "table" with the looks that call() gives it. Throws
// UsageError.
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
