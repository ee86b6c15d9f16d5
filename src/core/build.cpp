#include "core/build.hpp"

// Set by the Makefile, in build/build_info.hpp; it compiles this file
// alone anew for each commit.
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
