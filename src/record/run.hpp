// Provenance of one invocation: which machine, which version of
// the code, which command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/file.hpp"
#include "machine/ceilings.hpp"
#include "machine/machine.hpp"

namespace parlab {

struct Run {
  std::string id;  // unique
  // commit ends in "+changes" when the tree was not clean
  std::string date, command, commit;
  std::string machine;  // "nvidia-h200", also the name of its folders
  // see machine/machine.hpp; empty in records made before it was stored
  std::string host_id;
  std::string node;  // the host's name in a cluster, if one was given
  std::string gpu, driver, cuda;  // of the first GPU; empty if there is none
  // all GPUs of the machine; only uuid, pci and name are stored
  std::vector<GpuFacts> gpus;
  // kernel: version of the operating system's kernel
  std::string cpu, kernel, compiler, flags;
  int cores = 0;
  double memory_bytes = 0;
  // others may use its CPUs unnoticed
  bool virtual_machine = false;
  // threads of other processes when a run that times the CPU began
  int others_at_work = 0;
  // other programs on the GPUs when these were first used; the most on any one
  int others_on_gpu = 0;
  Ceilings host, device;
};

// Everything about this invocation but its ceilings. machine: its name, if one
// was given.
Run describe_run(const std::string& command,
                 const std::vector<GpuFacts>& gpus = {},
                 const std::string& machine = {});

// Whether both were made by the same compiler with the same flags. For the GPU,
// the driver and CUDA must be the same, too.
bool same_build(const Run& a, const Run& b, bool on_gpu);

// Named after its GPUs, or its CPU without any: "nvidia-h200-x4".
std::string kind_of_machine(const Run& run);

// The UUIDs of the GPUs of its host. They tell virtual machines apart that were
// made from one image and share a host id.
std::string gpus_of_host(const Run& run);

// Whether measurements of one run also hold in the other. Host, compiler and
// flags must be the same, and on the GPU also driver and CUDA. On the CPU, a
// host with other GPUs counts as another host. An unknown host equals no other.
bool same_conditions(const Run& a, const Run& b, bool on_gpu);

// slug, for example "nvidia-h200", is a kind of machine. This machine gets the
// first of slug, slug-2, slug-3 ... whose folder under results/ has a run of
// this host, does not exist, or has no runs. Records made before runs named
// their host count as another host's.
std::string machine_name(const std::string& slug, const std::string& host_id,
                         const std::filesystem::path& results = base_folder() /
                                                                "results");

// The machine of the first run in the folder's files; empty if there is none.
std::string machine_of_folder(const std::filesystem::path& folder);

}  // namespace parlab
