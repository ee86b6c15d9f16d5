// Counts the memory accesses of one execution's kernels, line by line.
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
constexpr bool reads(Access access) {
  return access == Access::global_load || access == Access::shared_load;
}

// Sums over all warps that executed an access or a barrier of one source line.
// A request is one such instruction of a warp.
struct CountedLine {
  std::string file;  // as it was passed to the compiler
  unsigned line = 0;
  Access access = Access::global_load;
  std::string array;       // the first array that it accesses
  std::int64_t bytes = 0;  // per thread and access

  std::int64_t requests = 0;
  std::int64_t lanes = 0;  // lanes that took part, over all requests
  // Sectors of 32 bytes of global memory, or wavefronts of shared memory: the
  // number that was moved, and the smallest possible number for these lanes.
  std::int64_t moved = 0, fewest = 0;
  // For atomics: lanes at the word where most lanes met.
  std::int64_t at_one_word = 0;
  // Distinct sectors of global memory that any request touched.
  std::int64_t different = 0;
  // Estimated sectors that come from L2 or go there; loads use a model of L1
  // (places/emulation/memory_rules.hpp).
  std::int64_t from_l2 = 0;
  // Bytes from a lane's address to its neighbour's in most requests.
  std::int64_t stride = 0;
  // For the first request: each lane's address, relative to the start of the
  // array; -1: the lane took no part.
  std::array<std::int64_t, 32> first{};
};

// The GPU that an emulated kernel sees when it asks. By default it has few
// multiprocessors, so that a small grid fills it.
struct GpuShape {
  int multiprocessors = 4;
  std::size_t l2_bytes = 1 << 20;
  int warps = 0;  // warps per multiprocessor; 0: those of two blocks
};

struct Counted {
  std::vector<CountedLine> lines;  // the costliest line first
  std::int64_t launches = 0;
  // of the launch with the most threads; shared_bytes: dynamic shared memory of
  // a block
  std::int64_t blocks = 0, threads_per_block = 0, shared_bytes = 0;
};

}  // namespace parlab
