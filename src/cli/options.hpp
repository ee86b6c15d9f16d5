// The options: each a flag and an environment variable; the command line wins.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace parlab {

using Environment = std::map<std::string, std::string>;
Environment environment_of_process();

struct Option {
  // "block", "GPU_BLOCK_SIZE"; no variable: typed only
  std::string flag, variable = {};
  std::string argument = {};  // what it takes, for --help; empty: a switch
  std::string help = {};      // empty: not in --help, or in the usage line
  // "show", "compare": theirs alone; empty: of runs
  std::vector<std::string> commands = {};
  bool rare = false;  // in --help only where a workload is named
  bool tunable = false;
  bool parameter = false;  // of a problem: a filter's radius

  bool of(const std::string& command) const;  // command "": a run
  // Of that command, or one that it shares with runs.
  bool read_by(const std::string& command) const;
};

// The fixed ones, then one for each tunable of any registered variant.
std::vector<Option> all_options();

struct Setting {
  std::string name;  // as the user wrote it: "--block" or "GPU_BLOCK_SIZE"
  std::string text;
  bool from_command_line = false;
};

struct Settings {
  std::map<std::string, Setting> by_flag;  // those that were given
  std::vector<std::string> positional;
  std::vector<std::string> warnings;

  const Setting* find(const std::string& flag) const;  // nullptr when not given
  bool on(const std::string& flag) const;              // of a switch
};

// arguments: without the program's name. Throws UsageError with one line.
Settings read_settings(const std::vector<std::string>& arguments,
                       const Environment& environment);

}  // namespace parlab
