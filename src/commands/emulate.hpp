// Hands the work to bin/parlab-emulated where this binary cannot do it.
#pragma once

#include "cli/run_request.hpp"

namespace parlab {

// Whether emulation could stand in for a GPU: variants on the GPU are wanted,
// and no library kernel was asked for by name. Emulation has none of those:
// they stay here, to be recorded as no_device.
bool can_be_emulated(const RunRequest& request);

// Replaces this process by its sibling parlab-emulated, with the same words.
// Returns when this is that binary already, and false when there is none.
bool become_emulated(std::vector<std::string> words);

// Where a GPU is wanted and there is none, or --emulate is given: replaces
// this process by the sibling parlab-emulated, with the same words. Returns
// when this is that binary already, or when there is none. Throws UsageError
// when there is none and emulation was asked for.
void emulate_if_needed(const RunRequest& request,
                       std::vector<std::string> words);

}  // namespace parlab
