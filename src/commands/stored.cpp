#include "commands/stored.hpp"

#include <filesystem>
#include <ostream>

#include "core/text.hpp"
#include "machine/machine.hpp"
#include "places/executor.hpp"
#include "places/presence.hpp"

namespace parlab {
namespace {

void print_curve(std::ostream& out, const std::string& name,
                 const std::vector<std::pair<double, double>>& curve) {
  if (curve.empty()) return;
  out << "  " << name << " GB/s:";
  for (const auto& [bytes, rate] : curve) {
    out << ' ' << bytes_with_unit(bytes) << ": " << significant(rate * 1e-9, 4)
        << (&rate == &curve.back().second ? "" : ",");
  }
  out << '\n';
}

void print_ceilings(std::ostream& out, const Ceilings& ceilings) {
  print_curve(out, "read", ceilings.read);
  print_curve(out, "copy", ceilings.copy);
  for (const auto& [dtype, rate] : ceilings.fma) {
    out << "  FMA " << dtype << ": " << significant(rate * 1e-9, 4) << " Gflop/s\n";
  }
}

}  // namespace

std::string record_path(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) return name;
  const auto machine = std::filesystem::path("results") / name;
  return std::filesystem::exists(machine, ignored) ? machine.string() : name;
}

Loaded load_all(const std::vector<std::string>& paths) {
  Loaded all;
  for (const auto& path : paths) {
    auto loaded = load_records(record_path(path));
    all.runs.merge(loaded.runs);
    std::move(loaded.records.begin(), loaded.records.end(), std::back_inserter(all.records));
    std::move(loaded.warnings.begin(), loaded.warnings.end(), std::back_inserter(all.warnings));
  }
  return all;
}

std::vector<std::string> export_records(const std::vector<std::string>& paths, std::ostream& out) {
  const auto loaded = load_all(paths);
  write_csv(out, loaded);
  return loaded.warnings;
}

void print_machine(std::ostream& out, const std::string& command) {
  const auto gpu = gpu_facts();
  const Run run = describe_run(command, gpu.name, gpu.driver, gpu.runtime);
  out << run.machine << "\ncpu: " << run.cpu << ", " << run.cores << " cores, "
      << bytes_with_unit(run.memory_bytes) << "\n  " << run.compiler << '\n';
  print_ceilings(out, make_host_executor()->ceilings());
  if (const auto why = why_no_gpu()) {
    out << "gpu: none: " << *why << '\n';
    return;
  }
  out << "gpu: " << gpu.name << ", driver " << gpu.driver << ", CUDA " << gpu.runtime << '\n';
  print_ceilings(out, make_gpu_executor()->ceilings());
}

}  // namespace parlab
