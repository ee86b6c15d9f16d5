// A block scans as many elements as it has threads, in shared memory. In step k
// (from 0 on) each thread adds the element 2^k places before its own: after
// log2(block) steps each has the sum of all before it. Each step reads one copy
// of the elements and writes the other, so that no thread reads an element that
// another has already replaced. Hillis and Steele described it in 1986. It
// takes few steps, but n log2(n) additions where the plain loop takes n.
#include "levels.cuh"

namespace {

template <typename T>
__global__ void scan_hillis_steele(const T* x, T* y, T* sums, std::int64_t n) {
  T* from = shared_memory<T>();  // 2 x blockDim.x
  T* to = from + blockDim.x;
  const unsigned me = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + me;
  from[me] = i < n ? x[i] : T{0};
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    to[me] = me >= step ? from[me - step] + from[me] : from[me];
    __syncthreads();
    T* const other = from;
    from = to;
    to = other;
  }
  if (i < n) y[i] = from[me];
  if (sums != nullptr && me == blockDim.x - 1) sums[blockIdx.x] = from[me];
}

}  // namespace

const Register<Scan, int, float, double> variant(
    {
        .rung = 0,
        .idea = "each element adds the one 1, 2, 4 ... places before it, in "
                "shared memory",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const Scan::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      scan_levels(
          gpu, p.x, p.y, p.n, block,
          [&](const T* x, T* y, T* sums, std::int64_t n, std::int64_t tiles) {
            gpu.launch({.grid = {tiles},
                        .block = {block},
                        .shared_bytes = 2 * block * sizeof(T)},
                       scan_hillis_steele<T>, x, y, sums, n);
          });
    });
