#include <algorithm>
#include <limits>
#include <ranges>

#include "cli/lists.hpp"
#include "cli/run_request.hpp"
#include "core/text.hpp"

namespace parlab {
namespace {

std::string some_of(const std::vector<std::int64_t>& values) {
  auto text = join(values | std::views::take(4), ", ",
                   [](auto value) { return std::to_string(value); });
  if (values.size() > 4)
    text += ", ... (" + std::to_string(values.size()) + " values)";
  return text;
}

// The smallest and largest value that any variant of the workload allows; max
// is 0 if there is none.
struct Limits {
  std::int64_t min = std::numeric_limits<std::int64_t>::max(), max = 0;
};

Limits limits_of(const Plan& plan, const std::string& name) {
  Limits limits;
  for (const auto* variant :
       Registry::instance().variants(plan.workload->name())) {
    if (const auto* tunable = variant->tunable(name)) {
      limits.min = std::min(limits.min, tunable->min);
      limits.max = std::max(limits.max, tunable->max);
    }
  }
  return limits;
}

// A value from the environment may be meant for other runs, as OMP_NUM_THREADS
// often is.
void refuse_when_typed(const Setting& setting, const std::string& what) {
  if (setting.from_command_line) setting.refuse(what + " (see --list)");
}

// Drops variants that allow none of the values.
void apply(const std::string& name, const Setting& setting, const Chosen& named,
           Plan& plan, std::vector<std::string>& warnings) {
  const auto& values = plan.tunables[name];
  std::size_t users = 0, dropped = 0;
  std::string complaint;
  std::erase_if(plan.variants, [&](const Variant* variant) {
    const auto* tunable = variant->tunable(name);
    if (tunable == nullptr) return false;
    ++users;
    std::vector<std::int64_t> refused;
    std::ranges::copy_if(
        values, std::back_inserter(refused),
        [&](std::int64_t value) { return !tunable->allows(value); });
    if (refused.empty()) return false;
    complaint = setting.written() + ": " + variant->full_name() +
                " cannot take " + some_of(refused) +
                " (allowed: " + tunable->allowed() + ")";
    const bool none_left = refused.size() == values.size();
    if (none_left && named.count(variant) > 0) throw UsageError(complaint);
    warnings.push_back(
        complaint + (none_left ? "; the variant is left out" : "; left out"));
    dropped += none_left;
    return none_left;
  });
  if (users > 0 && users == dropped) throw UsageError(complaint);
  if (users == 0) {
    refuse_when_typed(setting, "no chosen variant has this tunable");
    // OMP_NUM_THREADS is often set for other programs; GPU_BLOCK_SIZE beside
    // GPU_KERNEL is meant for this one.
    if (name == "block" && !named.empty()) {
      warnings.push_back(setting.written() + ": " +
                         (*named.begin())->full_name() +
                         " has no block size; ignored");
    }
    plan.tunables.erase(name);
  }
}

}  // namespace

void select_tunables(const Arguments& arguments, const Chosen& named,
                     Plan& plan, std::map<std::string, std::string>& best,
                     std::vector<std::string>& warnings) {
  for (const auto& option : problem_options()) {
    const auto* setting =
        option.tunable ? arguments.find(option.flag) : nullptr;
    if (setting == nullptr) continue;
    const auto limits = limits_of(plan, option.flag);
    if (limits.max == 0) {
      refuse_when_typed(*setting, "no variant of " +
                                      std::string(plan.workload->name()) +
                                      " has this tunable");
      continue;
    }
    if (setting->text == "best") {
      const bool used =
          std::ranges::any_of(plan.variants, [&](const Variant* variant) {
            return variant->tunable(option.flag) != nullptr;
          });
      if (used) best[option.flag] = setting->written();
      if (!used)
        refuse_when_typed(*setting, "no chosen variant has this tunable");
      continue;
    }
    plan.tunables[option.flag] = parse_list(*setting, limits.min, limits.max);
    apply(option.flag, *setting, named, plan, warnings);
  }
}

}  // namespace parlab
