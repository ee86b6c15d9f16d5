// A library of NVIDIA's that is loaded when it is first needed: programs
// start without it, and run where it is not installed.
#pragma once

#include <dlfcn.h>

#include <string>

#include "core/types.hpp"

namespace parlab {

// Stays loaded for good: what it started may be gone after main() only.
class SharedLibrary {
 public:
  // Throws PointError(not_supported) when the library is not there.
  explicit SharedLibrary(const std::string& soname,
                         const std::string& remedy =
                             "install it, or set LD_LIBRARY_PATH to the "
                             "CUDA toolkit's folder of libraries")
      : soname_(soname),
        remedy_(remedy),
        library_(dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr)
      throw LibraryMissing(soname, dlerror() + ("; " + remedy));
  }

  template <typename F>
  void resolve(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(dlsym(library_, name));
    if (function == nullptr) {
      throw PointError(Verdict::not_supported,
                       soname_ + " has no function " + name +
                           ": it is too old. To have a newer one, " + remedy_);
    }
  }

 private:
  std::string soname_, remedy_;
  void* library_;
};

}  // namespace parlab
