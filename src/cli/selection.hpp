// Selects the variants to run and the values of their tunables.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "sweep/plan.hpp"

namespace parlab {

using Chosen = std::set<const Variant*>;

// Fills plan.variants. record: one variant of each backend, as the course's
// format needs. Returns the variants chosen by name or number. Throws
// UsageError.
Chosen select_variants(const Arguments& arguments, bool record, Plan& plan);

// Fills plan.tunables, and best with the tunables requested as "best" (block:
// "GPU_BLOCK_SIZE=best"). A variant runs with the values that it allows; others
// are left out with a warning. A variant that allows none is dropped or, if it
// was named, refused (UsageError).
void select_tunables(const Arguments& arguments, const Chosen& named,
                     Plan& plan, std::map<std::string, std::string>& best,
                     std::vector<std::string>& warnings);

}  // namespace parlab
