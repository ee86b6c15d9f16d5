// A thread keeps 16 elements or fewer in its registers and adds them up one
// after another, without other threads. The lanes of a warp scan the threads'
// sums: they pass them to each other through registers, in the five steps of
// Hillis and Steele and without a barrier. One barrier is left: after it each
// warp reads the sums of the others from shared memory. Threads read and write
// 16 bytes at a time.
#include "block_scan.cuh"
#include "levels.cuh"

namespace {

constexpr int words = 4;  // per thread

template <typename T>
__global__ void __launch_bounds__(1024)
    scan_warp_shuffles(const T* x, T* y, T* sums, std::int64_t n) {
  __shared__ T part[32];
  TileOfBlock<T, words> tile;
  const auto first = tile.first(blockIdx.x);
  tile.read(x, first, n);
  const auto [before, all] = sums_of_warps(tile.scan_warp(), part);
  tile.write(y, first, n, before);
  if (sums != nullptr && threadIdx.x == 0) sums[blockIdx.x] = all;
}

}  // namespace

const Register<Scan, int, float, double> variant(
    {
        .rung = 2,
        .idea = "sums in registers, handed on by shuffles; one barrier, "
                "16-byte words",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const Scan::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      scan_levels(
          gpu, p.x, p.y, p.n, block * TileOfBlock<T, words>::per_thread,
          [&](const T* x, T* y, T* sums, std::int64_t n, std::int64_t tiles) {
            gpu.launch({.grid = {tiles}, .block = {block}},
                       scan_warp_shuffles<T>, x, y, sums, n);
          });
    });
