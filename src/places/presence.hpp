// Is there a GPU this build can use? Answered without touching anything else of the framework.
#pragma once

#include <optional>
#include <string>

namespace parlab {

// Nothing when there is one; otherwise one sentence that says why not.
std::optional<std::string> why_no_gpu();

struct GpuFacts {
  std::string name, driver, runtime;  // "NVIDIA H200", "13.0", "13.0"
};
// Of the GPU in use; empty strings without one.
GpuFacts gpu_facts();

}  // namespace parlab
