// One thread per element. It adds 1 to the element's bin in global memory with
// an atomic, because two threads may use the same bin. The second-level cache
// carries out the atomics. It serves those on one address one after another,
// and there are 256 addresses for the whole device.
#include "gpu/gpu.hpp"
#include "workloads/histogram.hpp"

using namespace parlab;

namespace {

template <typename T>
__global__ void histogram_global_atomics(const T* x, int* h, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&h[Histogram::bin_of(x[i])], 1);
}

}  // namespace

const Register<Histogram, std::uint8_t, int> variant(
    {
        .rung = 0,
        .idea = "one thread per element, an atomic on the bin in global memory",
        .tunables = {block_size()},
    },
    []<typename T>(Gpu& gpu, const Histogram::Args<T>& p,
                   const Tunables& tunables) {
      const auto block = tunables["block"];
      gpu.clear(p.h, Histogram::bins * sizeof(int));
      gpu.launch({.grid = {ceil_div(p.n, block)}, .block = {block}},
                 histogram_global_atomics<T>, p.x, p.h, p.n);
    });
