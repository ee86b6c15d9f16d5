// The program that detects races runs nothing on a GPU.
#include "places/executor.hpp"
#include "places/presence.hpp"

namespace parlab {

std::unique_ptr<Executor> make_gpu_executor(Target, int) {
  throw PointError(Verdict::no_device, *why_no_gpu());
}
std::optional<Detail> why_no_gpu() {
  return Detail{.cause = Cause::built_for_emulation};
}
std::vector<GpuFacts> gpus_present() {
  return {};
}
std::vector<GpuFacts> gpus_by_name() {
  return {};
}

}  // namespace parlab
