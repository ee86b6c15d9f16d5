#include "cli/run_request.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "cli/lists.hpp"
#include "core/text.hpp"

namespace parlab {
namespace {

std::vector<const Variant*> variants_of(const Plan& plan) {
  return Registry::instance().variants(plan.workload->name());
}

// The kernels with the names that users can type: "0:naive, 1:coalesced".
std::string kernels_of(const Plan& plan) {
  std::string text;
  for (const auto* variant : variants_of(plan)) {
    if (variant->id < 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(variant->id) + ":" +
            variant->name;
  }
  return text.empty() ? "none" : text;
}

// Only nvcc compiles the GPU's libraries.
std::string without_libraries() {
  for (const auto* variant : Registry::instance().variants()) {
    if (variant->needs_gpu() && variant->backend == "blas") return "";
  }
  return "; cuBLAS and CUB are left out where parlab is built without the CUDA "
         "toolkit";
}

bool is_called(const Variant& variant, const std::string& name) {
  return name == variant.name || name == variant.backend + "/" + variant.name ||
         name == variant.full_name() ||
         (!variant.label.empty() &&
          strcasecmp(name.c_str(), variant.label.c_str()) == 0);
}

// Why a kernel whose file is there has no variant; empty if there is no file.
std::string why_not_built(const std::string& workload,
                          const std::string& name) {
  const auto source =
      "cuda/" + workload + "/" + name.substr(name.rfind('/') + 1) + ".cu";
  const auto log = "build/emulated/" + source + ".log";
  std::error_code none;
  if (!std::filesystem::exists(source, none)) return "";
  if (std::filesystem::exists(log, none))
    return ": " + source + " does not compile: see " + log;
  return ": " + source + " registers no variant of this name, or is newer " +
         "than this program: see what make says";
}

Chosen by_name(const Plan& plan, const Setting& setting,
               const std::string& name, bool on_gpu) {
  Chosen chosen;
  std::vector<std::string> names;
  for (const auto* variant : variants_of(plan)) {
    if (on_gpu && !variant->needs_gpu()) continue;
    if (is_called(*variant, name)) chosen.insert(variant);
    names.push_back(variant->name);
    if (!on_gpu) names.push_back(variant->backend + "/" + variant->name);
  }
  if (!chosen.empty()) return chosen;
  const std::string workload(plan.workload->name());
  const auto why = why_not_built(workload, name);
  setting.refuse(workload + " has no " + (on_gpu ? "kernel '" : "variant '") +
                 name + "'" + (why.empty() ? did_you_mean(name, names) : why) +
                 (on_gpu ? " (" + kernels_of(plan) + ")" + without_libraries()
                         : " (see --list)"));
}

// GPU_KERNEL: numbers, ranges and names, in any mixture.
Chosen kernels(const Plan& plan, const Setting& setting) {
  Chosen chosen;
  for (const auto& item : split(setting.text, ',')) {
    if (item.empty() || (!std::isdigit(item[0]) && item[0] != '-')) {
      chosen.merge(by_name(plan, setting, item, true));
      continue;
    }
    for (const auto id :
         parse_list(setting.name, item, 0, std::numeric_limits<int>::max(),
                    setting.text)) {
      const auto before = chosen.size();
      for (const auto* variant : variants_of(plan)) {
        if (variant->needs_gpu() && variant->id == id) chosen.insert(variant);
      }
      if (chosen.size() > before) continue;
      setting.refuse("there is no kernel " + std::to_string(id) + " (" +
                     kernels_of(plan) + ")" + without_libraries());
    }
  }
  return chosen;
}

std::set<std::string> backends(const Setting* setting, bool record) {
  const std::vector<std::string> all{"serial", "openmp", "blas", "cuda"};
  if (setting == nullptr) {
    return record ? std::set<std::string>{"serial", "openmp", "cuda"}
                  : std::set<std::string>(all.begin(), all.end());
  }
  const auto known = setting->values([&](const std::string& name) {
    if (std::ranges::find(all, name) != all.end()) return name;
    throw UsageError("backend '" + name + "' is unknown" +
                     did_you_mean(name, all) +
                     " (serial, openmp, blas, cuda, or a list of these)");
  });
  return {known.begin(), known.end()};
}

// Whether one of the backends has the variant; cuda includes the libraries of
// the GPU.
bool has_backend(const std::set<std::string>& wanted, const Variant& variant) {
  return wanted.count(variant.backend) > 0 ||
         (variant.needs_gpu() && wanted.count("cuda") > 0);
}

// A name without a backend, such as fused, means the variants in the requested
// backends. If these have none, a backend from the environment was meant for
// other runs and is ignored; one from the command line is an error.
Chosen variants_named(const Plan& plan, const Setting& exact,
                      const Setting* backend,
                      const std::set<std::string>& wanted) {
  Chosen chosen;
  for (const auto& name : split(exact.text, ',')) {
    Chosen found = by_name(plan, exact, name, false), there;
    for (const auto* variant : found) {
      if (has_backend(wanted, *variant)) there.insert(variant);
    }
    const bool free = backend == nullptr || name.find('/') != name.npos;
    if (!free && there.empty() && backend->from_command_line)
      exact.refuse("'" + name + "' is excluded by " + backend->written());
    chosen.merge(free || there.empty() ? found : there);
  }
  return chosen;
}

// The course's format has one variant per backend: the first on its ladder.
void keep_first_of_each_backend(std::vector<const Variant*>& variants,
                                bool all_on_gpu) {
  std::set<std::pair<std::string, bool>> seen;
  std::erase_if(variants, [&](const Variant* variant) {
    if (variant->needs_gpu() && all_on_gpu) return false;
    return !seen.emplace(variant->needs_gpu() ? "gpu" : variant->backend,
                         variant->needs_gpu())
                .second;
  });
}

}  // namespace

Chosen select_variants(const Arguments& arguments, bool record, Plan& plan) {
  const auto* kernel = arguments.find("kernel");
  const auto* exact = arguments.find("variant");
  const auto* backend = arguments.find("backend");
  const auto wanted = backends(backend, record);
  Chosen kernels_named, named;
  if (kernel != nullptr) kernels_named = kernels(plan, *kernel);
  if (exact != nullptr) named = variants_named(plan, *exact, backend, wanted);
  // A named kernel counts as "cuda" even if it is a library's.
  for (const auto* variant : kernels_named) {
    if (exact != nullptr || has_backend(wanted, *variant))
      named.insert(variant);
  }
  if (kernel != nullptr && kernel->from_command_line && named.empty())
    kernel->refuse("excluded by " + backend->written());
  for (const auto* variant : variants_of(plan)) {
    const bool by_backend = exact == nullptr &&
                            wanted.count(variant->backend) > 0 &&
                            !(kernel != nullptr && variant->needs_gpu());
    if (by_backend || named.count(variant) > 0)
      plan.variants.push_back(variant);
  }
  // A variant that does something different from the others is not compared
  // with them and runs only if it is named; variants for several GPUs also run
  // if these were requested.
  const bool teams = arguments.find("gpus") != nullptr;
  std::erase_if(plan.variants, [&](const Variant* variant) {
    const bool other =
        variant->from_host() || (variant->needs_team() && !teams);
    return other && named.count(variant) == 0;
  });
  if (record && exact == nullptr)
    keep_first_of_each_backend(plan.variants, kernel != nullptr);
  if (!plan.variants.empty()) return named;
  const std::string workload(plan.workload->name());
  if (backend == nullptr)
    throw UsageError(workload + ": this build has no variants of it");
  std::set<std::string> present;
  for (const auto* variant : variants_of(plan))
    present.insert(variant->backend);
  backend->refuse(workload + " has no variant there; it has " +
                  join(present, ", "));
}

}  // namespace parlab
