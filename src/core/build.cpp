#include "core/build.hpp"

// The Makefile sets these in build/build_info.hpp and recompiles only this file
// for each commit.
#ifndef PARLAB_VERSION
#define PARLAB_VERSION "unknown"
#define PARLAB_COMMIT "unknown"
#define PARLAB_FLAGS ""
#endif

namespace parlab {

std::string_view build_version() {
  return PARLAB_VERSION;
}
std::string_view build_commit() {
  return PARLAB_COMMIT;
}
std::string_view build_flags() {
  return PARLAB_FLAGS;
}

}  // namespace parlab
