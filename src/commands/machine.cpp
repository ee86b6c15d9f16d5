#include "commands/machine.hpp"

#include <ostream>

#include "core/text.hpp"
#include "places/executor.hpp"
#include "places/presence.hpp"
#include "record/run.hpp"

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
  for (const auto& [unit, rate] : ceilings.units) {
    out << "  " << unit << ": " << significant(rate * 1e-9, 4) << " Gflop/s\n";
  }
}

}  // namespace

void print_kind(std::ostream& out) {
  const Run run = describe_run("", gpus_present(), "unnamed");
  out << machine_slug(run.gpu, run.cpu, run.cores) << '\n';
}

void print_machine(std::ostream& out, const std::string& command) {
  const auto gpus = gpus_present();
  const Run run = describe_run(command, gpus);
  out << run.machine << "\ncpu: " << run.cpu << ", " << run.cores << " cores, "
      << bytes_with_unit(run.memory_bytes) << "\n  " << run.compiler << '\n';
  print_ceilings(out, make_host_executor()->ceilings());
  if (const auto why = why_no_gpu()) {
    out << "gpu: none: " << *why << '\n';
    return;
  }
  for (const auto& gpu : gpus) {
    out << "gpu " << gpu.device << ": " << gpu.name << ", " << gpu.uuid << ", PCI " << gpu.pci
        << ", driver " << gpu.driver << ", CUDA " << gpu.cuda << '\n';
    print_ceilings(out, make_gpu_executor(gpu.device)->ceilings());
  }
}

}  // namespace parlab
