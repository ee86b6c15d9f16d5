// A library of NVIDIA's that is loaded when it is first needed, so that
// programs start without it and run where it is not installed.
#pragma once

#include <string>

namespace parlab {

// The library stays loaded for good, because its resources may be released only
// after main().
class SharedLibrary {
 public:
  // Throws PointError(not_supported) when the library is not installed.
  explicit SharedLibrary(const std::string& soname,
                         const std::string& remedy =
                             "install it, or set LD_LIBRARY_PATH to the "
                             "CUDA toolkit's folder of libraries");

  // Throws PointError(not_supported) when the library lacks the function.
  template <typename F>
  void resolve(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(address(name));
  }

 private:
  void* address(const char* name) const;

  std::string soname_, remedy_;
  void* library_;
};

}  // namespace parlab
