#include "driver/stored.hpp"

#include <algorithm>
#include <map>
#include <ostream>

#include "core/variant.hpp"
#include "device/presence.hpp"
#include "driver/reporter.hpp"
#include "driver/text.hpp"
#include "machine/machine.hpp"
#include "measure/executor.hpp"
#include "record/store.hpp"

namespace parlab {
namespace {

Loaded load_all(const std::vector<std::string>& paths) {
  Loaded all;
  for (const auto& path : paths) {
    auto loaded = load_records(path);
    all.runs.merge(loaded.runs);
    std::move(loaded.records.begin(), loaded.records.end(), std::back_inserter(all.records));
    std::move(loaded.warnings.begin(), loaded.warnings.end(), std::back_inserter(all.warnings));
  }
  return all;
}

// Place of a record's variant on its ladder; variants that are gone come last.
std::size_t place(const Record& record) {
  const auto variants = Registry::instance().variants(record.workload);
  const auto found = std::find_if(variants.begin(), variants.end(), [&](const Variant* variant) {
    return variant->full_name() == record.full_name();
  });
  return static_cast<std::size_t>(found - variants.begin());
}

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

std::vector<std::string> show_records(const std::vector<std::string>& paths,
                                      const std::string& format, std::ostream& out) {
  auto loaded = load_all(paths);
  const auto reporter = make_reporter(format, out);
  std::vector<std::string> order;
  std::map<std::string, std::vector<Record>> points;
  for (auto& record : latest(std::move(loaded.records))) {
    const auto name = record.machine + " " + record.point();
    if (points.count(name) == 0) order.push_back(name);
    points[name].push_back(std::move(record));
  }
  for (const auto& name : order) {
    auto& records = points[name];
    std::stable_sort(records.begin(), records.end(),
                     [](const Record& a, const Record& b) { return place(a) < place(b); });
    reporter->point(records);
  }
  reporter->finish();
  return loaded.warnings;
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
