// A warp per row: its 32 lanes read 32 neighbouring elements of the row in one
// step, so the reads are coalesced without transposing the matrix. Five
// shuffles add the lanes' sums at the end. There are no atomics and nothing to
// clear, and 32 times the threads of one thread per row.
#include "gpu/gpu.hpp"
#include "workloads/dmv.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void dmv_warp_per_row(const T* a, const T* x, T* y,
                                 std::int64_t rows, std::int64_t cols) {
  const std::int64_t row =
      (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;

  T sum = 0;
  for (std::int64_t col = lane; col < cols; col += 32)
    sum += a[row * cols + col] * x[col];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (lane == 0) y[row] = sum;
}

}  // namespace

const Register<Dmv, float, double> variant(
    {
        .rung = 5,
        .id = 5,
        .idea = "a warp sums a row and adds up by shuffles: coalesced without "
                "a transposition",
        .tunables = {block_size(256, 32)},
    },
    []<typename T>(Gpu& gpu, const Dmv::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      gpu.launch({.grid = {ceil_div(p.rows, block / 32)}, .block = {block}},
                 dmv_warp_per_row<T>, p.a, p.x, p.y, p.rows, p.cols);
    });
