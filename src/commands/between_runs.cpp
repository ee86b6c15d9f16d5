#include "commands/between_runs.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "cli/lists.hpp"
#include "core/file.hpp"
#include "core/process.hpp"
#include "core/text.hpp"
#include "core/variant.hpp"
#include "record/store.hpp"
#include "statistics/between_runs.hpp"

namespace parlab {
namespace {

namespace fs = std::filesystem;

constexpr int runs = 5;
// with so few runs, smaller differences cannot be told
constexpr double least_share = 1e-3;

struct Chosen {
  const Variant* variant;
  std::vector<std::string> arguments;
};

// For each workload, the first variant of its ladder on that kind of place. On
// the host it is one that uses all cores, since other programs disturb that
// most.
std::vector<Chosen> choose(Target target) {
  const bool on_gpu = target != Target::host;
  std::vector<Chosen> chosen;
  for (const auto* workload : Registry::instance().workloads()) {
    for (const auto* variant :
         Registry::instance().variants(workload->name())) {
      const auto dtype = workload->dtypes().front();
      if (variant->target != target || !variant->has(dtype)) continue;
      if (!on_gpu && variant->backend != "openmp") continue;
      // Neither too quick for the clock nor too slow to wait for: on a GPU
      // little longer than a launch, on the host too large for caches.
      const auto size_of = [&](double bytes, double flops) {
        return std::to_string(
            smallest_square_with(*workload, dtype, bytes, flops).front());
      };
      const auto sizes = on_gpu ? size_of(1e5, 1e6) + "," + size_of(64e6, 1e9)
                                : size_of(8e6, 2e7) + "," + size_of(1e8, 2e8);
      chosen.push_back(
          {variant,
           {variant->workload, sizes, "--variant",
            variant->backend + "/" + variant->name, "--dtype",
            std::string(to_string(dtype)), "--time-limit", "0.3", "--force"}});
      break;
    }
  }
  return chosen;
}

BetweenRuns measured_on(Target target, const fs::path& ceilings,
                        const std::vector<std::string>& options) {
  const Temporary folder(new_temporary_folder("parlab-runs"));
  fs::copy_file(ceilings, folder.path() / ceilings.filename());
  const auto chosen = choose(target);
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      // A run has no record of a point that it could not measure.
      auto arguments = chosen[i].arguments;
      arguments.insert(arguments.begin(), this_program());
      arguments.insert(arguments.end(), options.begin(), options.end());
      arguments.insert(
          arguments.end(),
          {"--results",
           (folder.path() / (std::to_string(i) + ".jsonl")).string()});
      output_of(std::move(arguments));
    }
  }
  std::map<std::string, std::vector<Samples>> points;
  for (const auto& record : load_records(folder.path()).records) {
    if (record.timed()) points[record.identity()].push_back(record.samples());
  }
  std::vector<std::vector<Samples>> all;
  for (auto& [name, samples] : points)
    all.push_back(std::move(samples));
  return target == Target::host ? share_between_runs(all)
                                : spread_between_runs(all);
}

void keep(CeilingsOfMachine& known, const std::string& gpu,
          const BetweenRuns& spread) {
  const auto* found = known.find(gpu);
  if (found == nullptr) return;
  Ceilings ceilings = *found;
  ceilings.between_runs = {std::max(spread.share, least_share), spread.seconds};
  known.keep(gpu, ceilings);
}

}  // namespace

void measure_between_runs(CeilingsOfMachine& known,
                          const std::vector<GpuFacts>& gpus) {
  keep(known, "", measured_on(Target::host, known.file(), {}));
  for (const auto& gpu : gpus) {
    keep(known, gpu.uuid,
         measured_on(Target::gpu, known.file(),
                     {"--device", std::to_string(gpu.device)}));
  }
}

}  // namespace parlab
