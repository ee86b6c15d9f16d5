// The resources that nvcc gives a kernel: registers and spills, where the
// toolkit is.
#pragma once

#include <string>
#include <vector>

#include "facts/document.hpp"

namespace parlab {

// "dmv_naive<float>": the parameters say nothing more, and unnamed namespaces
// are everywhere.
std::string name_of_kernel(const std::string& symbol);

struct KernelResources {
  std::string kernel;
  int registers = 0, spill_bytes = 0;  // of a thread

  bool operator==(const KernelResources&) const = default;
};

// Reads the output of `nvcc -Xptxas -v`.
std::vector<KernelResources> parse_ptxas(const std::string& output);

// Resources of all kernels of a file, compiled for compute capability 9.0.
// Throws ExplainedError where nvcc is not there or fails.
std::vector<KernelResources> resources_of(const std::string& source);

// The warps of a block of so many threads that have room by registers, and all
// of it as a table.
Table table_of(const std::vector<KernelResources>& all,
               std::int64_t threads_per_block);

}  // namespace parlab
