// Compiles each launch that several variants share only once. A launch in a
// header of kernels is a static member of a class template, declared `extern`
// there and instantiated in cuda/WORKLOAD/shared, in a file of the same name.
//
// The linker identifies a function by its name and would mix up a header's
// function with that of a changed copy of the header. So the header's file name
// is part of the function's name. A copy then needs its own launches, which are
// compiled where the copy is used without `extern`.
#pragma once

#include <cstdint>

namespace parlab {

// Hash of the file's name without its folders; 64-bit FNV-1a (Fowler, Noll,
// Vo).
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
