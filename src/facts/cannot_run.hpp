// How a variant says that it cannot compute what it was asked for.
#pragma once

namespace parlab {

// Throws PointError(not_supported). why: as of printf.
[[noreturn, gnu::format(printf, 1, 2)]] void cannot_run(const char* why, ...);

}  // namespace parlab
