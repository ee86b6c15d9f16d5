// How many programs compute on a GPU: what another one does there, no
// clock of ours can tell.
#pragma once

#include <optional>
#include <string>

namespace parlab {

// By NVIDIA's management library, which comes with the driver; this
// program counts, once it has started CUDA there. uuid: "GPU-8f3a...".
// Nothing where the library does not say.
std::optional<int> programs_on_gpu(
    const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");

}  // namespace parlab
