// The options of runs.
#include <algorithm>
#include <ranges>
#include <set>

#include "cli/command.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"

namespace parlab {
namespace {

// "block" -> "GPU_BLOCK_SIZE", "tile_width" -> "PARLAB_TILE_WIDTH"
std::string variable_of(const std::string& tunable) {
  if (tunable == "block") return "GPU_BLOCK_SIZE";
  if (tunable == "threads") return "OMP_NUM_THREADS";
  std::string variable = "PARLAB_" + tunable;
  for (auto& c : variable)
    c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return variable;
}

// The titles of --help, in order.
constexpr const char *what_to_run = "What to run", *how_long = "How long",
                     *output = "What comes out", *several = "Several machines",
                     *settings = "Settings of kernels and problems";

Options under(const std::string& title, Options options, bool rare = false) {
  for (auto& option : options) {
    option.group = title;
    option.rare = rare;
  }
  return options;
}

std::string timed_kinds() {
  return join(every_value<InputKind>() | std::views::filter(is_timed_on), ", ",
              as_text);
}

// Each has a flag, its variable, its argument, its help, and the option that it
// needs.
Options everyday_options() {
  return under(
             what_to_run,
             {{"kernel", "GPU_KERNEL", "LIST",
               "kernels on the GPU, by number or name"},
              {"backend", "BACKEND", "LIST", "of serial,openmp,blas,cuda"},
              {"variant", "PARLAB_VARIANT", "LIST",
               "exactly these: openmp/rows"},
              {"dtype", "PARLAB_DTYPE", "LIST",
               "float,half,int8 ...: all in --list"},
              {"cache", "PARLAB_CACHE", "LIST",
               "of hot,cold: before each sample"},
              {"device", "PARLAB_DEVICE", "LIST", "GPUs by number, or all (0)"},
              {"emulate", "PARLAB_EMULATE", "",
               "CUDA on the CPU: verified, not timed"}}) +
         under(how_long, {{"iterations", "NR_ITER", "N",
                           "exactly this many samples of each"},
                          {"time-limit", "PARLAB_TIME_LIMIT", "SECONDS",
                           "for one measurement (1; a table 0.1)"},
                          {"force", "PARLAB_FORCE", "",
                           "measure again what is recorded already"}}) +
         under(output,
               {{"results", "PARLAB_RESULTS", "FILE",
                 "append records, and resume from them"},
                {"format", "PARLAB_FORMAT", "NAME",
                 "table, csv, json, markdown, record"},
                {"legend", "PARLAB_LEGEND", "",
                 "what the columns of a table mean"},
                {"counters", "PARLAB_COUNTERS", "",
                 "counters by ncu, or of the emulation"},
                {"explain", "", "", "registers and occupancy, not times"}});
}

Options rare_options() {
  constexpr bool rare = true;
  return under(what_to_run,
               {{"inputs", "PARLAB_INPUTS", "LIST",
                 "timed on: " + timed_kinds() + " (uniform)"}},
               rare) +
         under(how_long,
               {{"precision", "PARLAB_PRECISION", "X",
                 "half width of the 95 % interval (0.01)"},
                {"point-limit", "PARLAB_POINT_LIMIT", "SECONDS",
                 "no larger size after an execution this long"},
                {"execution-limit", "PARLAB_EXECUTION_LIMIT", "SECONDS",
                 "end an execution this long (60, and 50 times what is "
                 "expected)"},
                {"verify-limit", "PARLAB_VERIFY_LIMIT", "SECONDS",
                 "give up a check of results that takes this long (600)"}},
               rare) +
         under(output,
               {{"energy", "PARLAB_ENERGY", "",
                 "joules too, by NVML or RAPL: half a minute each"},
                {"energy-time", "PARLAB_ENERGY_TIME", "SECONDS",
                 "of a single run for joules (4 or more of 5)", "energy"},
                {"pictures", "", "FOLDER",
                 "with --counters of emulated kernels: what a warp touches",
                 "counters"},
                {"registers", "", "",
                 "with --counters of emulated kernels: what nvcc needs",
                 "counters"},
                {"sass", "", "",
                 "with --counters: what nvcc made of each line, SASS and PTX",
                 "counters"},
                {"keep-report", "", "FOLDER",
                 "with --counters on a GPU: ncu's own files, for its viewer",
                 "counters"},
                {"like", "", "MACHINE",
                 "with --counters of emulated kernels: the least time there",
                 "counters"},
                {"tuned", "PARLAB_TUNED", "FILE",
                 "results of 'parlab tune', for --block best"},
                {"in-process", "PARLAB_IN_PROCESS", "",
                 "without a worker process: for debuggers"}},
               rare) +
         under(several,
               {{"machine", "MACHINE", "NAME",
                 "use this name, not the detected one"},
                {"node", "PARLAB_NODE", "NAME",
                 "of the host, kept with its records"},
                {"resume", "PARLAB_RESUME", "LIST",
                 "files, folders with points already measured"},
                {"shard", "PARLAB_SHARD", "I/N",
                 "only this part of the points, 3/20; N jobs take them all"},
                {"plan", "PARLAB_PLAN", "FILE",
                 "cut the shards from these lines, printed by --estimate",
                 "shard"},
                {"estimate", "", "",
                 "print what is not recorded yet, with seconds; measure "
                 "nothing"}},
               rare);
}

Options parameter_options() {
  Options options;
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto& parameter : workload->parameters()) {
      const std::string help = std::string(workload->name()) + ": " +
                               parameter.allowed() + " (" +
                               std::to_string(parameter.fallback) + ")";
      const auto same = std::ranges::find_if(options, [&](const Option& one) {
        return one.flag == parameter.name;  // from another workload
      });
      if (same != options.end()) {
        same->help += ", " + help;
        continue;
      }
      options.push_back({.flag = parameter.name,
                         .variable = variable_of(parameter.name),
                         .argument = "LIST",
                         .help = "of the problem " + help,
                         .rare = true,
                         .parameter = true,
                         .group = settings});
    }
  }
  return options;
}

Options tunable_options() {
  std::map<std::string, std::set<std::string>> users;  // tunable -> workloads
  for (const auto* variant : Registry::instance().variants()) {
    for (const auto& tunable : variant->tunables)
      users[tunable.name].insert(variant->workload);
  }
  const std::map<std::string, std::string> said{
      {"block", "threads in a block of the GPU"},
      {"threads", "threads of the CPU"},
      {"gpus", "GPUs that share one problem; runs variants for several"}};
  Options options;
  for (const auto& [name, workloads] : users) {
    const auto words = said.find(name);
    options.push_back({.flag = name,
                       .variable = variable_of(name),
                       .argument = "LIST",
                       .help = words != said.end()
                                   ? words->second
                                   : "of " + join(workloads, ", "),
                       .rare = name != "block" && name != "threads",
                       .tunable = true,
                       .group = settings});
  }
  return options;
}

}  // namespace

Options run_options() {
  return everyday_options() + rare_options() + problem_options();
}

Options run_options(const std::vector<std::string>& flags) {
  auto options = everyday_options() + rare_options();
  std::erase_if(options, [&](const Option& option) {
    return std::ranges::find(flags, option.flag) == flags.end();
  });
  // record is a format of runs.
  for (auto& option : options) {
    if (option.flag == "format") option.help = "table, csv, json, markdown";
  }
  return options;
}

Options format_option(const std::string& formats) {
  auto options = run_options({"format"});
  options.front().help = formats + ", markdown";
  return options;
}

Options problem_options() {
  return parameter_options() + tunable_options();
}

}  // namespace parlab
