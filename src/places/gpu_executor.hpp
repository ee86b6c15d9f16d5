// Makes the executor of the GPUs that this program was built for: real ones
// (cuda/) or emulated ones (emulation/).
#pragma once

#include <memory>

#include "places/executor.hpp"

namespace parlab {

// target: gpu, streams or team. device: number of the single GPU.
std::unique_ptr<Executor> make_gpu_executor(Target target, int device);

}  // namespace parlab
