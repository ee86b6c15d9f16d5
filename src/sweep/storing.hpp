// The record of a trial, made complete and stored.
#pragma once

#include "sweep/listing.hpp"

namespace parlab {

// Verdict, samples and roof. A time that beats its roof is doubted, after the
// roof was measured again.
void store(Session& session, Pending& pending);

}  // namespace parlab
