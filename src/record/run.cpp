#include "record/run.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>

#include "core/build.hpp"
#include "machine/machine.hpp"
#include "machine/memory.hpp"
#include "machine/topology.hpp"
#include "record/machine_name.hpp"
#include "record/record.hpp"

namespace parlab {
namespace {

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, format, &utc));
}

// The date is for the reader. The random part makes sure that no two runs
// anywhere share an id.
std::string unique_id() {
  std::random_device random;
  char text[16];
  std::snprintf(text, sizeof text, "-%08x", random());
  return utc_now("%Y%m%dT%H%M%SZ") + text;
}

std::string kernel_version() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "";
}

// The flags of the host's compiler; for the GPU followed by those of nvcc.
std::string flags_of(const Run& run, bool on_gpu) {
  const auto nvcc = run.flags.find("; nvcc");
  if (!on_gpu) return run.flags.substr(0, nvcc);
  return nvcc == run.flags.npos ? "" : run.flags.substr(nvcc);
}

// Hypervisors set this flag on every processor that they lend.
bool is_virtual_machine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("flags"))
      return (line + " ").find(" hypervisor ") != line.npos;
  }
  return false;
}

}  // namespace

bool same_build(const Run& a, const Run& b, bool on_gpu) {
  return a.compiler == b.compiler &&
         flags_of(a, on_gpu) == flags_of(b, on_gpu) &&
         (!on_gpu || (a.driver == b.driver && a.cuda == b.cuda));
}

// GPUs of another model than the first do not appear in the name.
std::string kind_of_machine(const Run& run) {
  const auto alike = std::ranges::count(run.gpus, run.gpu, &GpuFacts::name);
  return machine_slug(run.gpu, run.cpu, run.cores, static_cast<int>(alike));
}

std::string gpus_of_host(const Run& run) {
  std::string uuids;
  for (const auto& gpu : run.gpus)
    uuids += gpu.uuid + " ";
  return uuids;
}

bool same_conditions(const Run& a, const Run& b, bool on_gpu) {
  return !a.host_id.empty() && a.host_id == b.host_id &&
         (on_gpu || may_be_alike(gpus_of_host(a), gpus_of_host(b))) &&
         same_build(a, b, on_gpu);
}

Run describe_run(const std::string& command, const std::vector<GpuFacts>& gpus,
                 const std::string& machine) {
  Run run;
  run.id = unique_id();
  run.date = utc_now("%Y-%m-%dT%H:%M:%SZ");
  run.command = command;
  // from the build, because the tree beside the binary may be another version
  run.commit = build_commit();
  std::ifstream cpuinfo("/proc/cpuinfo");
  run.cpu = cpu_model(cpuinfo);
  run.kernel = kernel_version();
  run.virtual_machine = is_virtual_machine();
  run.cores = physical_cores();
  run.memory_bytes = memory_bytes();
  run.host_id = host_id();
  run.gpus = gpus;
  if (!gpus.empty()) {
    run.gpu = gpus.front().name;
    run.driver = gpus.front().driver;
    run.cuda = gpus.front().cuda;
  }
  run.machine = machine;
  if (machine.empty()) {
    run.machine = machine_name(kind_of_machine(run), run.host_id);
  }
#ifdef __clang__
  run.compiler = __VERSION__;
#else
  run.compiler = "GCC " __VERSION__;
#endif
  run.flags = build_flags();
  return run;
}

}  // namespace parlab
