#include "cli/run_request.hpp"

#include <algorithm>

#include "cli/lists.hpp"
#include "core/file.hpp"
#include "core/name.hpp"
#include "core/text.hpp"
#include "record/packed.hpp"

namespace parlab {
namespace {

constexpr double longest_limit_s = 1e6;
// A table that is not saved should appear quickly.
constexpr double time_limit_of_glance_s = 0.1;

std::string format_of_run(const Arguments& arguments, std::size_t sizes) {
  if (arguments.find("format") != nullptr || arguments.on("explain"))
    return format_of(arguments, {"table", "csv", "json", "record", "explain"});
  // The old convention unchanged, [GPU_KERNEL=k] [GPU_BLOCK_SIZE=b] program n,
  // prints what its scripts expect.
  bool old = sizes == 1 && (arguments.find("kernel") != nullptr ||
                            arguments.find("block") != nullptr);
  for (const auto& [flag, setting] : arguments.by_flag) {
    const bool list = setting.text.find_first_of(",:") != std::string::npos;
    old &= !setting.from_command_line;
    old &= !list || (flag != "kernel" && flag != "block");
  }
  return old ? "record" : "table";
}

std::vector<Dtype> dtypes_of(const Arguments& arguments) {
  const Workload& workload = *arguments.workload;
  const auto known = workload.dtypes();
  const auto* setting = arguments.find("dtype");
  if (setting == nullptr) return {known.front()};
  return setting->values([&](const std::string& word) {
    const auto dtype = from_string<Dtype>(word);
    if (std::ranges::find(known, dtype) != known.end()) return dtype;
    throw UsageError(std::string(workload.name()) + " has " +
                     join(known, ", ", as_text));
  });
}

InputKind timed_inputs(const std::string& word) {
  const auto kind = from_string<InputKind>(word);
  if (is_timed_on(kind)) return kind;
  throw UsageError("'" + word + "' inputs only verify: time on uniform, " +
                   (kind == InputKind::wide ? "spread" : "whole") +
                   " or others of --help");
}

// CUDA's numbers of the GPUs; none for "all".
std::vector<int> devices_of(const Setting& setting) {
  if (setting.text == "all") return {};
  const auto numbers = parse_list(setting, 0, 1023);
  return {numbers.begin(), numbers.end()};
}

// Reads everything in the plan except sizes, variants and tunables.
void read_limits(const Arguments& arguments, Plan& plan) {
  const auto number = [&](const char* flag, double most, auto& value) {
    if (const auto* setting = arguments.find(flag))
      value = parse_positive(*setting, most);
  };
  plan.dtypes = dtypes_of(arguments);
  plan.caches = {Cache::hot};
  if (const auto* setting = arguments.find("cache"))
    plan.caches = setting->values(from_string<Cache>);
  if (const auto* setting = arguments.find("inputs"))
    plan.inputs = setting->values(timed_inputs);
  if (const auto* setting = arguments.find("iterations"))
    plan.iterations = static_cast<int>(parse_count(*setting, 1, 1000000000));
  number("time-limit", longest_limit_s, plan.time_limit_s);
  number("point-limit", longest_limit_s, plan.point_limit_s);
  number("execution-limit", longest_limit_s, plan.execution_limit_s);
  number("verify-limit", longest_limit_s, plan.verify_limit_s);
  number("precision", 1, plan.precision);
  number("energy-time", longest_limit_s, plan.energy_time_s);
  if (const auto* setting = arguments.find("device"))
    plan.devices = devices_of(*setting);
  plan.node = arguments.text("node");
  plan.machine = machine_asked_for(arguments);
  plan.results = file_asked_for(arguments, "results");
  if (const auto* setting = arguments.find("resume")) {
    plan.resume = split(setting->text, ',');
    // Scripts set the variable before the files exist.
    for (const auto& path : plan.resume) {
      if (setting->from_command_line && parts_of(path).empty())
        setting->refuse("no such file or folder: " + path);
    }
  }
  plan.energy = arguments.on("energy");
  plan.force = arguments.on("force");
  plan.emulate = arguments.on("emulate");
  plan.tries_more = plan.results.empty();
  if (arguments.find("dtype") == nullptr) {
    plan.dtypes_left_out = arguments.workload->dtypes();
    std::erase(plan.dtypes_left_out, plan.dtypes.front());
  }
}

// At least one variant has one of the data types, so something can run.
void require_a_dtype(const Plan& plan) {
  for (const auto* variant : plan.variants) {
    for (const auto dtype : plan.dtypes) {
      if (variant->has(dtype)) return;
    }
  }
  if (plan.variants.empty()) return;
  const Variant& last = *plan.variants.back();
  throw UsageError(last.full_name() + " is not there in " +
                   join(plan.dtypes, " or ", as_text) + ": try --dtype " +
                   std::string(to_string(last.dtypes.front())));
}

RunRequest request_of(const Arguments& arguments, std::vector<Size> sizes,
                      std::string format) {
  RunRequest request;
  request.format = std::move(format);
  request.warnings = arguments.warnings;
  Plan& plan = request.plan;
  plan.workload = arguments.workload;
  plan.command = arguments.typed;
  plan.sizes = std::move(sizes);
  read_limits(arguments, plan);
  const bool record = request.format == "record";
  if (record && !plan.iterations) plan.iterations = 100;
  const auto named = select_variants(arguments, record, plan);
  require_a_dtype(plan);
  request.named =
      std::ranges::any_of(named, [](auto* v) { return v->needs_gpu(); });
  select_tunables(arguments, named, plan, request.best, request.warnings);
  return request;
}

}  // namespace

RunRequest read_run(const Arguments& arguments) {
  auto sizes = sizes_of(arguments);
  auto format = format_of_run(arguments, sizes.size());
  auto request = request_of(arguments, std::move(sizes), std::move(format));
  Plan& plan = request.plan;
  // The GPU's kernels alone are explained.
  const auto is_on_host = [](auto* variant) { return !variant->needs_gpu(); };
  if (request.format == "explain" &&
      !std::ranges::all_of(plan.variants, is_on_host))
    std::erase_if(plan.variants, is_on_host);
  if (plan.results.empty() && request.format == "table" &&
      !arguments.find("time-limit")) {
    plan.time_limit_s = time_limit_of_glance_s;
  }
  return request;
}

RunRequest read_tuning(const Arguments& arguments) {
  Arguments of_sizes = arguments;
  auto& words = of_sizes.positional;
  of_sizes.workload = &workload_called(words.front());
  words.erase(words.begin());
  if (words.empty()) {
    throw UsageError("tune: needs a size: tune " +
                     std::string(of_sizes.workload->name()) + " 4096");
  }
  auto request = request_of(of_sizes, sizes_of(of_sizes),
                            format_of(arguments, {"table", "csv", "json"}));
  if (!request.best.empty()) {
    throw UsageError(request.best.begin()->second +
                     ": is what tune is to find");
  }
  return request;
}

RunRequest read_filtering(const Arguments& arguments) {
  if (!arguments.positional.empty()) {
    throw UsageError("'" + arguments.positional.front() +
                     "': the size is that of the image");
  }
  auto request = request_of(arguments, {}, "table");
  if (!request.best.empty()) {
    throw UsageError(request.best.begin()->second +
                     ": an image is filtered with a number here");
  }
  Plan& plan = request.plan;
  if (!arguments.find("variant") && !arguments.find("kernel") &&
      !arguments.find("backend")) {
    std::erase_if(plan.variants,
                  [](const Variant* variant) { return variant->needs_gpu(); });
  }
  const auto dtype = plan.dtypes.front();
  plan.dtypes = {dtype};
  require_a_dtype(plan);
  std::erase_if(plan.variants,
                [&](const Variant* variant) { return !variant->has(dtype); });
  plan.variants = {plan.variants.back()};
  return request;
}

std::string machine_asked_for(const Arguments& arguments) {
  const auto* setting = arguments.find("machine");
  if (setting == nullptr) return {};
  if (!is_name(setting->text)) setting->refuse(name_rule);
  return setting->text;
}

std::string file_asked_for(const Arguments& arguments,
                           const std::string& flag) {
  const auto* setting = arguments.find(flag);
  if (setting == nullptr) return {};
  require_regular(setting->text, setting->name);
  return setting->text;
}

}  // namespace parlab
