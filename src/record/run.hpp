// Provenance of one invocation: which machine, which version of
// the code, which command.
#pragma once

#include <string>
#include <vector>

#include "machine/ceilings.hpp"
#include "machine/machine.hpp"

namespace parlab {

struct Run {
  std::string id;  // unique
  // commit has "+changes" when the tree was not clean
  std::string date, command, commit;
  std::string machine;  // "nvidia-h200", names folders
  // see machine/machine.hpp; empty: made before it was kept
  std::string host_id;
  std::string node;  // the host's name in a cluster, where it was given
  std::string gpu, driver, cuda;  // of the first GPU; empty without one
  // all of the machine; of these uuid, pci and name are stored
  std::vector<GpuFacts> gpus;
  // kernel: version of the operating system's
  std::string cpu, kernel, compiler, flags;
  int cores = 0;
  double memory_bytes = 0;
  // of whose CPUs others may have a part, unseen
  bool virtual_machine = false;
  // threads of other processes, when a run that times the CPU began
  int others_at_work = 0;
  // programs, the most on any of its GPUs, when they were first used
  int others_on_gpu = 0;
  Ceilings host, device;
};

// Everything about this invocation but its ceilings. machine: its name,
// when it was given one.
Run describe_run(const std::string& command,
                 const std::vector<GpuFacts>& gpus = {},
                 const std::string& machine = {});

// Made by the same compiler with the same flags, for the GPU also with
// the same driver and CUDA.
bool same_build(const Run& a, const Run& b, bool on_gpu);

// By its GPUs, or its CPU: "nvidia-h200-x4".
std::string kind_of_machine(const Run& run);

// The UUIDs of those of its host: they tell virtual machines of one image,
// which have one id, from each other.
std::string gpus_of_host(const Run& run);

// What was measured in one run would be measured again in the other: the
// same host, compiler and flags, and on the GPU the same driver and CUDA. On
// the CPU a host with other GPUs is another one.
// A host that is not known is no other's equal.
bool same_conditions(const Run& a, const Run& b, bool on_gpu);

}  // namespace parlab
