// The library's own function behind a wrapper of the same name.
#pragma once

#include <dlfcn.h>

#include <atomic>

namespace parlab::races {

// No static variable that needs a guard: guards have a wrapper, too.
template <typename F>
F* behind(F*, const char* name, std::atomic<void*>& known) {
  void* found = known;
  if (found == nullptr) known = found = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<F*>(found);
}

}  // namespace parlab::races

#define REAL(name)                                      \
  ([] {                                                 \
    static constinit std::atomic<void*> known{nullptr}; \
    return parlab::races::behind(&name, #name, known);  \
  }())
