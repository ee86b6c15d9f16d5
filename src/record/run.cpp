#include "record/run.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>

#include "core/build.hpp"
#include "machine/memory.hpp"
#include "machine/topology.hpp"
#include "record/json.hpp"
#include "record/packed.hpp"
#include "record/record.hpp"
#include "record/store.hpp"

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

namespace fs = std::filesystem;

enum class Whose { nobodys, ours, anothers };

// Whether the test holds for a run in a folder's files; the first such run ends
// the search. Only the lines of runs are parsed.
bool any_run_in(const fs::path& folder,
                const std::function<bool(const Run&)>& test) {
  std::vector<std::string> ignored;
  for (const auto& file : record_files(folder, Depth::folder, ignored)) {
    for (const auto& part : parts_of(file)) {
      const auto in = open_lines(part);
      LineReader lines(*in);
      for (Line line; lines.next(line);) {
        if (!line.text.starts_with(R"({"type":"run")")) continue;
        try {
          const auto entry = from_json_line(line.text);
          const auto* run = std::get_if<Run>(&entry);
          if (run != nullptr && test(*run)) return true;
        } catch (const ForeignLine&) {
        }
      }
    }
  }
  return false;
}

Whose owner_of_folder(const fs::path& folder, const std::string& host_id) {
  auto whose = Whose::nobodys;
  const bool ours = any_run_in(folder, [&](const Run& run) {
    whose = Whose::anothers;
    return !host_id.empty() && run.host_id == host_id;
  });
  return ours ? Whose::ours : whose;
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
  utsname names{};
  if (uname(&names) == 0) run.kernel = names.release;
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

std::string machine_name(const std::string& slug, const std::string& host_id,
                         const fs::path& results) {
  // A folder that was named by hand may be ours too, and so may one whose
  // predecessor in the numbering was removed.
  std::string free;
  for (int number = 1; number < 1000; ++number) {
    const std::string name =
        number == 1 ? slug : slug + "-" + std::to_string(number);
    std::error_code ignored;
    const bool there = fs::is_directory(results / name, ignored);
    const auto whose =
        there ? owner_of_folder(results / name, host_id) : Whose::nobodys;
    if (whose == Whose::ours) return name;
    if (whose == Whose::nobodys && free.empty()) free = name;
    if (!there && number > 1) break;
  }
  return free.empty() ? slug : free;
}

std::string machine_of_folder(const fs::path& folder) {
  std::string machine;
  if (!fs::is_directory(folder)) return machine;
  any_run_in(folder, [&](const Run& run) {
    machine = run.machine;
    return true;
  });
  return machine;
}

}  // namespace parlab
