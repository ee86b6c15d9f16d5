// Hands the work to bin/parlab-emulated where this binary cannot do it.
#pragma once

#include "cli/request.hpp"

namespace parlab {

// Whether emulation could stand in for a GPU: variants on the GPU are wanted,
// and no library kernel was asked for by name. Emulation has none of those:
// they stay here, to be recorded as no_device.
bool can_be_emulated(const Request& request);

// Replaces this process by the sibling parlab-emulated, with the same arguments
// and name. Returns when this is that binary already, or when there is none.
// Throws UsageError when there is none and emulation was asked for.
void become_emulated(const Request& request, char** arguments);

// Both together: does not return where parlab-emulated takes over.
void emulate_if_needed(const Request& request, char** arguments);

}  // namespace parlab
