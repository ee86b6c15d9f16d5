// Launches that several variants share are compiled once: what a header of
// kernels launches is a static member of a class template, declared `extern`
// there and instantiated in cuda/WORKLOAD/shared, in a file of the same name.
//
// The linker knows a function by its name, and would take that of a header for
// that of its changed copy. So the header's name is a part of it: a copy's own
// launches are asked for, and compiled where the copy is without `extern`.
#pragma once

#include <cstdint>

namespace parlab {

// Of the file's name without its folders; 64-bit FNV-1a (Fowler, Noll, Vo).
constexpr std::uint64_t file_hash(const char* path) {
  constexpr std::uint64_t offset_basis = 14695981039346656037u;
  constexpr std::uint64_t prime = 1099511628211u;
  std::uint64_t hash = offset_basis;
  for (; *path != 0; ++path) {
    if (*path == '/') {
      hash = offset_basis;
    } else {
      hash = (hash ^ static_cast<unsigned char>(*path)) * prime;
    }
  }
  return hash;
}

}  // namespace parlab
