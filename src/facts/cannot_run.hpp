// Lets a variant report that it cannot run with its arguments.
#pragma once

namespace parlab {

// Throws PointError(not_supported). why: a format as of printf.
[[noreturn, gnu::format(printf, 1, 2)]] void cannot_run(const char* why, ...);

}  // namespace parlab
