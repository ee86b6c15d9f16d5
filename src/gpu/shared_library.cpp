// Not in the header, because nvcc 13.0 with GCC 13 fails on copies of a string.
#include "gpu/shared_library.hpp"

#include <dlfcn.h>

#include "core/types.hpp"
#include "facts/cause.hpp"

namespace parlab {

SharedLibrary::SharedLibrary(const std::string& soname,
                             const std::string& remedy)
    : soname_(soname),
      remedy_(remedy),
      library_(dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr)
    throw LibraryMissing(soname, dlerror() + ("; " + remedy));
}

void* SharedLibrary::address(const char* name) const {
  void* const found = dlsym(library_, name);
  if (found == nullptr) {
    throw PointError(Verdict::not_supported,
                     {.cause = Cause::library_too_old,
                      .arguments = {soname_, name, remedy_}});
  }
  return found;
}

}  // namespace parlab
