#include "device/presence.hpp"

namespace parlab {

std::optional<std::string> why_no_gpu() {
  return "this program was built to emulate CUDA kernels, not to run them on a GPU";
}

GpuFacts gpu_facts() { return {}; }

}  // namespace parlab
