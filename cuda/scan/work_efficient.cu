// A tree of sums takes as few additions as the plain loop, up to a factor. On
// the way up each thread adds two neighbours, then two neighbouring sums, until
// one is left: the total. On the way down each node gives its left child the
// sum of all before the node, and its right child that plus the left child's
// own sum. Blelloch described it in 1990. A tree of 2 block elements needs one
// thread for two leaves. With each level towards the root half of the threads
// have nothing to do, and the working ones use fewer and fewer banks.
#include "levels.cuh"

namespace {

template <typename T>
__global__ void scan_work_efficient(const T* x, T* y, T* sums, std::int64_t n) {
  T* tree = shared_memory<T>();
  const unsigned me = threadIdx.x, count = 2 * blockDim.x;
  const std::int64_t first = std::int64_t{blockIdx.x} * count;
  T mine[2];
  _Pragma("unroll")
  for (int k = 0; k < 2; ++k) {
    const unsigned leaf = me + k * blockDim.x;
    mine[k] = first + leaf < n ? x[first + leaf] : T{0};
    tree[leaf] = mine[k];
  }

  unsigned width = 1;  // leaves below a child
  for (unsigned nodes = blockDim.x; nodes > 0; nodes /= 2, width *= 2) {
    __syncthreads();
    if (me < nodes) {
      const unsigned left = (2 * me + 1) * width - 1;
      tree[left + width] += tree[left];
    }
  }

  __syncthreads();
  if (me == 0) {
    if (sums != nullptr) sums[blockIdx.x] = tree[count - 1];
    tree[count - 1] = 0;  // before the root there is nothing
  }

  for (unsigned nodes = 1; nodes <= blockDim.x; nodes *= 2) {
    width /= 2;
    __syncthreads();
    if (me < nodes) {
      const unsigned left = (2 * me + 1) * width - 1;
      const T sum = tree[left];
      tree[left] = tree[left + width];
      tree[left + width] += sum;
    }
  }

  __syncthreads();
  _Pragma("unroll")
  for (int k = 0; k < 2; ++k) {
    const unsigned leaf = me + k * blockDim.x;
    if (first + leaf < n) y[first + leaf] = tree[leaf] + mine[k];
  }
}

}  // namespace

const Register<Scan, int, float, double> variant(
    {
        .rung = 1,
        .idea = "a tree of sums, up and down again: 2 n additions in place of "
                "n log n",
        .tunables = {{.name = "block",
                      .fallback = 256,
                      .min = 1,
                      .max = 1024,
                      .power_of_two = true}},
    },
    []<typename T>(Gpu& gpu, const Scan::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      scan_levels(
          gpu, p.x, p.y, p.n, 2 * block,
          [&](const T* x, T* y, T* sums, std::int64_t n, std::int64_t tiles) {
            gpu.launch({.grid = {tiles},
                        .block = {block},
                        .shared_bytes = 2 * block * sizeof(T)},
                       scan_work_efficient<T>, x, y, sums, n);
          });
    });
