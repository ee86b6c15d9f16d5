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

// If a GPU is wanted and there is none, or with --emulate, replaces this
// process by its sibling parlab-emulated, with the same words. Returns if this
// is that binary already, or if there is none. Throws UsageError if there is
// none and --emulate was given.
void emulate_if_needed(const RunRequest& request,
                       std::vector<std::string> words);

}  // namespace parlab
