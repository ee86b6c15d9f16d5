#include "device/presence.hpp"

namespace parlab {

std::optional<std::string> why_no_gpu() { return "this program emulates one, for verification"; }

GpuFacts gpu_facts() { return {}; }

}  // namespace parlab
