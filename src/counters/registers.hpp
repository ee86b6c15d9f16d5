// The resources that nvcc gives a kernel, registers and spills, if the toolkit
// is available.
#pragma once

#include <string>
#include <vector>

#include "facts/document.hpp"

namespace parlab {

struct KernelResources {
  std::string kernel;
  int registers = 0, spill_bytes = 0;  // per thread

  bool operator==(const KernelResources&) const = default;
};

// Reads the output of `nvcc -Xptxas -v`.
std::vector<KernelResources> parse_ptxas(const std::string& output);

// Resources of all kernels of a file, compiled for compute capability 9.0.
// Throws ExplainedError if nvcc is missing or fails.
std::vector<KernelResources> resources_of(const std::string& source);

// A table of the resources, and of the warps that fit by registers for blocks
// of this many threads.
Table table_of(const std::vector<KernelResources>& all,
               std::int64_t threads_per_block);

}  // namespace parlab
