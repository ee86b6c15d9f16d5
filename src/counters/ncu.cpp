#include "counters/ncu.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "counters/ncu_lines.hpp"
#include "places/executor.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* duration = "gpu__time_duration.sum";

struct Name {
  const char *plain, *metric;
};
constexpr Name sums[] = {
    {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"global_store_requests",
     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"global_atomic_requests",
     "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"},
    {"global_reduction_requests",
     "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
    {"shared_load_requests",
     "smsp__inst_executed_op_shared_ld_pred_on_any.sum"},
    {"shared_load_wavefronts",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"shared_store_requests",
     "smsp__inst_executed_op_shared_st_pred_on_any.sum"},
    {"shared_store_wavefronts",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {"local_load_requests", "smsp__inst_executed_op_local_ld.sum"},
    {"local_store_requests", "smsp__inst_executed_op_local_st.sum"},
    {"shared_bank_conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
    {"dram_read_bytes", "dram__bytes_read.sum"},
    {"dram_write_bytes", "dram__bytes_write.sum"}};
// Passes that the instructions themselves need. The sums above also contain
// passes delayed by data from elsewhere. Not every ncu has these metrics.
constexpr Name exact_sums[] = {
    {"shared_load_wavefronts",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"shared_store_wavefronts",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}};
constexpr Name percentages[] = {
    {"memory_percent",
     "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"compute_percent", "sm__throughput.avg.pct_of_peak_sustained_elapsed"}};
// These are the same for all kernels.
constexpr Name of_device[] = {
    {"multiprocessors", "device__attribute_multiprocessor_count"},
    {"l2_bytes", "device__attribute_l2_cache_size"}};
constexpr Name of_longest[] = {
    {"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"branch_uniformity",
     "smsp__sass_average_branch_targets_threads_uniform.pct"}};

std::string all_metrics(bool with_newer) {
  std::string text = duration;
  const auto add = [&](const auto& names) {
    for (const auto& name : names)
      text += std::string(",") + name.metric;
  };
  add(sums);
  add(percentages);
  add(of_device);
  add(of_longest);
  if (!with_newer) return text;
  add(exact_sums);
  for (const auto& name : metrics_of_lines)
    text += "," + name;
  return text;
}

std::optional<double> metric(const ProfiledKernel& kernel, const char* name) {
  const auto found = kernel.metrics.find(name);
  if (found == kernel.metrics.end()) return std::nullopt;
  return found->second;
}

// The sum of weight * metric over the kernels; nothing if one of them lacks a
// number.
std::optional<double> total(const std::vector<ProfiledKernel>& kernels,
                            const char* name, const char* weight = nullptr) {
  double sum = 0;
  for (const auto& kernel : kernels) {
    const auto value = metric(kernel, name);
    const auto factor = weight == nullptr ? 1.0 : metric(kernel, weight);
    if (!value || !factor) return std::nullopt;
    sum += *factor * *value;
  }
  return sum;
}

Counters combined(const std::vector<ProfiledKernel>& kernels) {
  Counters counters;
  if (kernels.empty()) return counters;
  const auto put = [&](const char* plain, std::optional<double> value) {
    if (value) counters[plain] = *value;
  };
  for (const auto& [plain, name] : sums)
    put(plain, total(kernels, name));
  for (const auto& [plain, name] : exact_sums)
    put(plain, total(kernels, name));
  add_quotients(counters);
  if (counters.count("dram_read_bytes") + counters.count("dram_write_bytes") ==
      2) {
    counters["dram_bytes"] =
        counters["dram_read_bytes"] + counters["dram_write_bytes"];
  }
  const auto time = total(kernels, duration);
  for (const auto& [plain, name] : percentages) {
    const auto weighted = total(kernels, name, duration);
    if (weighted && time && *time > 0) counters[plain] = *weighted / *time;
  }
  const auto shorter = [](const auto& a, const auto& b) {
    return metric(a, duration).value_or(0) < metric(b, duration).value_or(0);
  };
  const auto longest = std::ranges::max_element(kernels, shorter);
  for (const auto& [plain, name] : of_longest) {
    if (const auto value = metric(*longest, name))
      counters[plain] = *value / 100;
  }
  for (const auto& [plain, name] : of_device)
    put(plain, metric(*longest, name));
  // This includes kernels of libraries, which parlab does not count as
  // launches.
  if (!counters.empty())
    counters["profiled_kernels"] = static_cast<double>(kernels.size());
  return counters;
}

bool is_forbidden(const std::string& output) {
  return output.find("ERR_NVGPUCTRPERM") != std::string::npos;
}

}  // namespace

void add_quotients(Counters& counters) {
  for (const std::string kind : {"load", "store"}) {
    const auto sectors = counters.find("global_" + kind + "_sectors"),
               requests = counters.find("global_" + kind + "_requests");
    if (sectors != counters.end() && requests != counters.end() &&
        requests->second > 0)
      counters["sectors_per_" + kind + "_request"] =
          sectors->second / requests->second;
  }
}

std::vector<std::string> counter_names() {
  ProfiledKernel kernel{"", "", {{duration, 1}}};
  const auto fill = [&](const auto& names) {
    for (const auto& name : names)
      kernel.metrics[name.metric] = 1;
  };
  fill(sums);
  fill(percentages);
  fill(of_device);
  fill(of_longest);
  std::vector<std::string> names;
  for (const auto& [name, value] : combined({kernel}))
    names.push_back(name);
  return names;
}

std::vector<ProfiledKernel> parse_profile(const std::string& output) {
  std::vector<ProfiledKernel> kernels;
  std::vector<std::string> titles;
  for (const auto& line : split(output, '\n')) {
    if (line.starts_with("\"ID\",")) {
      titles = cells_of_ncu(line);
      continue;
    }
    const auto cells = cells_of_ncu(line);
    // The row of units has no ID, and other lines have fewer cells.
    if (titles.empty() || cells.size() != titles.size() || cells[0].empty())
      continue;
    ProfiledKernel kernel;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (titles[i] == "Kernel Name")
        kernel.name = cells[i];
      else if (titles[i] == "Grid Size")
        kernel.grid = cells[i];
      else if (const auto value = number_of_ncu(cells[i]))
        kernel.metrics[titles[i]] = *value;
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<Counters> counters_by_execution(
    const std::vector<ProfiledKernel>& kernels, std::size_t executions) {
  std::vector<std::vector<ProfiledKernel>> groups(executions);
  std::size_t current = executions;  // no execution yet
  for (const auto& kernel : kernels) {
    if (kernel.name.find(profile_mark) != std::string::npos) {
      current = std::strtoul(kernel.grid.c_str() +
                                 kernel.grid.find_first_of("123456789"),
                             nullptr, 10) -
                1;
    } else if (current < executions) {
      groups[current].push_back(kernel);
    }
  }
  std::vector<Counters> counters;
  for (const auto& group : groups)
    counters.push_back(combined(group));
  return counters;
}

Detail why_nothing_was_counted(const std::string& output) {
  if (is_forbidden(output)) return {.cause = Cause::ncu_not_permitted};
  // ncu's own message, and the last one of this program, which ran under it.
  Detail why{.cause = Cause::ncu_saw_no_kernel};
  std::string of_program;
  for (const auto& line : split(output, '\n')) {
    if (line.starts_with("==ERROR==") && why.cause != Cause::ncu_says) {
      why = because(Cause::ncu_says,
                    line.substr(9 + line.starts_with("==ERROR== ")));
    }
    if (!line.empty() && !line.starts_with("==")) of_program = line;
  }
  if (!of_program.empty())
    why.further.push_back(because(Cause::program_said, of_program));
  return why;
}

std::string find_tool(const std::string& name) {
  std::vector<fs::path> folders{"/usr/local/cuda/bin"};
  std::error_code ignored;
  for (const auto& entry :
       fs::directory_iterator("/opt/nvidia/nsight-compute", ignored)) {
    folders.push_back(entry.path());
  }
  return path_of_program(name, folders);
}

std::string find_ncu() {
  const auto ncu = find_tool("ncu");
  if (ncu.empty()) throw NoCountersHere(Cause::ncu_not_found);
  return ncu;
}

namespace {

Output run_ncu(const std::string& options,
               const std::vector<std::string>& arguments,
               const std::string& gpu = {}) {
  auto words = split(options, ' ');
  words.insert(words.begin(), find_ncu());
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::map<std::string, std::string> environment{{"LC_ALL", "C"}};
  if (!gpu.empty()) environment.emplace("CUDA_VISIBLE_DEVICES", gpu);
  try {
    return output_of(std::move(words), environment);
  } catch (const std::system_error& error) {
    throw NoCounters(other(error.what()));
  }
}

Output run_profiled(const std::vector<std::string>& arguments, Cache cache,
                    const std::string& gpu, const std::string& report,
                    bool with_newer) {
  std::vector<std::string> words{
      "--export",        report,
      "--cache-control", cache == Cache::cold ? "all" : "none",
      "--metrics",       all_metrics(with_newer),
      this_program(),    "execute-once"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_ncu(
      "--csv --page raw --print-units base --target-processes all "
      "--clock-control none --profile-from-start off --force-overwrite",
      words, gpu);
}

bool lacks_a_metric(const Output& output) {
  return !output.succeeded &&
         output.text.find("ailed to find metric") != std::string::npos;
}

}  // namespace

Profile profile(const std::vector<std::string>& arguments, Cache cache,
                const std::string& gpu, const std::string& kept) {
  const Temporary temporary(
      fs::temp_directory_path() /
      ("parlab-" + std::to_string(getpid()) + ".ncu-rep"));
  const auto report = kept.empty() ? temporary.path().string() : kept;
  constexpr bool with_newer = true;
  auto answer = run_profiled(arguments, cache, gpu, report, with_newer);
  if (lacks_a_metric(answer))
    answer = run_profiled(arguments, cache, gpu, report, !with_newer);
  const auto& [output, succeeded] = answer;
  auto kernels = parse_profile(output);
  if (succeeded && !kernels.empty()) {
    return {.kernels = std::move(kernels),
            .source_page = run_ncu("--csv --page source --print-units base "
                                   "--print-source cuda,sass --import",
                                   {report})
                               .text};
  }
  const auto why = why_nothing_was_counted(output);
  if (is_forbidden(output)) throw NoCountersHere(why);
  throw NoCounters(why);
}

}  // namespace parlab
