// Every thread does the same number of steps, however long the rows are
// (Merrill and Garland, "Merge-based parallel sparse matrix-vector
// multiplication", SC 2016).
//
// A step is one of two things: to add an entry to the sum, or to end a row. The
// steps of the whole product in their order are the merge of two sorted lists,
// the entries 0, 1, 2, ... and the ends of the rows. A step's number is the sum
// of its places in both lists, so a binary search finds where a thread begins.
//
// A block computes the products of its steps first, neighbouring entries in
// neighbouring threads, and leaves them in shared memory. Each thread then
// takes `steps` steps there. A row that ends in the block is stored. The last
// one, whose end lies in a later block, is left for a second kernel.
#include "gpu/gpu.hpp"
#include "workloads/spmv.hpp"

using namespace parlab;

namespace {

constexpr int threads_of_block = 128, steps = 8;
constexpr int steps_of_block = threads_of_block * steps;

// How many of the ends come before this step. ends: ends_count numbers in
// order, to be merged with the numbers from 0 to entries - 1, and an end comes
// before the number that equals it.
template <typename Count>
__device__ Count ends_before(const std::uint32_t* ends, Count ends_count,
                             Count entries, Count step) {
  Count low = step > entries ? step - entries : 0;
  Count high = step < ends_count ? step : ends_count;
  while (low < high) {
    const Count middle = low + (high - low) / 2;
    if (static_cast<Count>(ends[middle]) < step - middle)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

template <typename T>
__global__ void spmv_merged(Spmv::Args<T> p, T* rest, std::int64_t* rest_row) {
  __shared__ std::int64_t first_rows[2];
  __shared__ std::uint32_t ends[steps_of_block];
  __shared__ T products[steps_of_block], sums[steps_of_block + 1];
  const int thread = threadIdx.x;
  const std::int64_t all = p.rows + p.entries;
  const std::int64_t first_step = std::int64_t{blockIdx.x} * steps_of_block;
  if (thread < 2) {
    const std::int64_t step = first_step + thread * steps_of_block;
    first_rows[thread] = ends_before(p.row_begin + 1, p.rows, p.entries,
                                     step < all ? step : all);
  }
  __syncthreads();

  const std::int64_t first_row = first_rows[0];
  const std::int64_t first_entry = first_step - first_row;
  const std::int64_t left = all - first_step;
  const int count = left < steps_of_block ? left : steps_of_block;
  const int rows = first_rows[1] - first_row;
  const int entries = count - rows;
  for (int i = thread; i < rows; i += threads_of_block)
    ends[i] = p.row_begin[first_row + i + 1] - first_entry;
  for (int i = thread; i < entries; i += threads_of_block) {
    const std::int64_t e = first_entry + i;
    products[i] = p.values[e] * p.x[p.columns[e]];
  }
  for (int i = thread; i <= rows; i += threads_of_block)
    sums[i] = 0;
  __syncthreads();

  const int begin = min(thread * steps, count);
  int row = ends_before(ends, rows, entries, begin);
  int entry = begin - row;
  bool began_here = false;
  T sum = 0;
  for (int step = begin; step < min(begin + steps, count); ++step) {
    if (row == rows || entry < static_cast<int>(ends[row])) {
      sum += products[entry++];
    } else {
      if (began_here)
        sums[row] = sum;
      else
        atomicAdd(&sums[row], sum);  // threads before this one have the rest
      sum = 0;
      began_here = true;
      ++row;
    }
  }
  // The lanes of a long row add up among themselves what is left: the first of
  // them gets the sum.
  for (int step = 1; step < 32; step *= 2) {
    const T next = __shfl_down_sync(~0u, sum, step);
    const int next_row = __shfl_down_sync(~0u, row, step);
    if (thread % 32 + step < 32 && next_row == row) sum += next;
  }
  const int row_before = __shfl_up_sync(~0u, row, 1);
  if (thread % 32 == 0 || row_before != row) atomicAdd(&sums[row], sum);
  __syncthreads();

  for (int i = thread; i < rows; i += threads_of_block)
    p.y[first_row + i] = sums[i];
  if (thread == 0) {
    rest[blockIdx.x] = sums[rows];
    rest_row[blockIdx.x] = first_row + rows;
  }
}

template <typename T>
__global__ void spmv_add_rest(Spmv::Args<T> p, const T* rest,
                              const std::int64_t* rest_row,
                              std::int64_t blocks) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < blocks && rest_row[i] < p.rows) atomicAdd(&p.y[rest_row[i]], rest[i]);
}

}  // namespace

const Register<Spmv, float, double> variant(
    {
        .rung = 4,
        .idea = "entries and ends of rows merged: all threads do as many steps",
    },
    []<typename T>(Gpu& gpu, const Spmv::Args<T>& p, const Tunables&) {
      const auto blocks = ceil_div(p.rows + p.entries, steps_of_block);
      T* const rest = gpu.scratch<T>(blocks);
      std::int64_t* const rest_row = gpu.scratch<std::int64_t>(blocks);
      gpu.launch({.grid = {blocks}, .block = {threads_of_block}},
                 spmv_merged<T>, p, rest, rest_row);
      gpu.launch({.grid = {ceil_div(blocks, 256)}, .block = {256}},
                 spmv_add_rest<T>, p, rest, rest_row, blocks);
    });
