#include "record/run.hpp"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>

#include "machine/machine.hpp"
#include "machine/topology.hpp"

// Both set by the Makefile, where it knows them.
#ifndef PARLAB_COMMIT
#define PARLAB_COMMIT "unknown"
#endif
#ifndef PARLAB_FLAGS
#define PARLAB_FLAGS ""
#endif

namespace parlab {
namespace {

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, format, &utc));
}

// The date, for the reader, and enough of chance that no two runs anywhere share it.
std::string unique_id() {
  std::random_device random;
  char text[16];
  std::snprintf(text, sizeof text, "-%08x", random());
  return utc_now("%Y%m%dT%H%M%SZ") + text;
}

}  // namespace

Run describe_run(const std::string& command, const std::string& gpu, const std::string& driver,
                 const std::string& cuda) {
  Run run;
  run.id = unique_id();
  run.date = utc_now("%Y-%m-%dT%H:%M:%SZ");
  run.command = command;
  run.commit = PARLAB_COMMIT;  // of the build: what lies beside a binary may be another version
  std::ifstream cpuinfo("/proc/cpuinfo");
  run.cpu = cpu_model(cpuinfo);
  run.cores = physical_cores();
  run.memory_bytes = memory_bytes();
  run.machine = machine_slug(gpu, run.cpu, run.cores);
  run.gpu = gpu;
  run.driver = driver;
  run.cuda = cuda;
#ifdef __clang__
  run.compiler = __VERSION__;
#else
  run.compiler = "GCC " __VERSION__;
#endif
  run.flags = PARLAB_FLAGS;
  return run;
}

}  // namespace parlab
