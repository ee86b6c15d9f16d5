// What the kernels of one execution asked of memory, line by line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/enum_names.hpp"

namespace parlab {

PARLAB_ENUM(Access, "access", (global_load, "load"), (global_store, "store"),
            (shared_load, "shared load"), (shared_store, "shared store"),
            (atomic, "atomic"), (shared_atomic, "shared atomic"),
            (barrier, "barrier"))
constexpr bool is_shared(Access access) {
  return access == Access::shared_load || access == Access::shared_store ||
         access == Access::shared_atomic;
}
constexpr bool is_atomic(Access access) {
  return access == Access::atomic || access == Access::shared_atomic;
}

// Sums over all warps that executed an access, or a barrier, of one source
// line. A request is one such instruction of a warp.
struct CountedLine {
  std::string file;  // as the compiler was told
  unsigned line = 0;
  Access access = Access::global_load;
  std::string array;       // that it meets first
  std::int64_t bytes = 0;  // of a thread's access

  std::int64_t requests = 0;
  std::int64_t lanes = 0;  // that took part, of all requests
  // Sectors of 32 bytes of global memory, or wavefronts of shared memory: what
  // was moved, and the fewest for as many lanes.
  std::int64_t moved = 0, fewest = 0;
  // Of atomics: lanes that met at the word where most of them did.
  std::int64_t at_one_word = 0;
  // Different sectors of global memory that any request touched.
  std::int64_t different = 0;
  // Sectors that come from L2 or go there: an estimate, for loads by a model of
  // L1 (places/emulation/l1_model.hpp).
  std::int64_t from_l2 = 0;
  // Bytes from a lane's address to its neighbour's, in most requests.
  std::int64_t stride = 0;
  // Of the first request: each lane's address, from the start of the array;
  // -1: the lane took no part.
  std::array<std::int64_t, 32> first{};
};

// The GPU that an emulated kernel finds when it asks. As it is by default, it
// has few multiprocessors: a grid that fills it is small.
struct GpuShape {
  int multiprocessors = 4;
  std::size_t l2_bytes = 1 << 20;
  int warps = 0;  // of the kernel on a multiprocessor; 0: those of two blocks
};

struct Counted {
  std::vector<CountedLine> lines;  // the costliest first
  std::int64_t launches = 0;
  // of the launch with the most threads; dynamic shared memory of a block
  std::int64_t blocks = 0, threads_per_block = 0, shared_bytes = 0;
};

}  // namespace parlab
