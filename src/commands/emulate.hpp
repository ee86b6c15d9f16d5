// Hands the work to bin/parlab-emulated if this binary cannot do it.
#pragma once

#include "cli/run_request.hpp"

namespace parlab {

// Whether emulation could replace a GPU: variants on the GPU are wanted, and no
// library kernel was named. Emulation has no libraries, so those stay here and
// are recorded as no_device.
bool can_be_emulated(const RunRequest& request);

// Replaces this process by its sibling parlab-emulated, with the same words.
// Returns true if this is that binary already, and false if there is none.
bool become_emulated(std::vector<std::string> words);

// Does so if a GPU is wanted and there is none, or with --emulate. Throws
// UsageError if it cannot and --emulate was given.
void emulate_if_needed(const RunRequest& request,
                       std::vector<std::string> words);

}  // namespace parlab
