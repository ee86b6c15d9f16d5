// A thread reads 16 bytes at a time, 16 small elements or 4 large ones, and
// starts four such loads before it uses the first. It counts equal neighbours
// in a register and adds them to their bin when a different element comes: if
// all elements are the same, a thread adds once, at its end. The comparison
// costs an instruction per element, but an atomic costs more.
#include <type_traits>

#include "private.cuh"

namespace {

constexpr int in_flight = 4;

// 16 bytes of elements, as four numbers of 32 bits.
struct alignas(16) Word {
  unsigned part[4];
};

// Equal neighbours that have not been counted yet.
struct Run {
  int bin = 0, length = 0;

  __device__ void add(PrivateBins& bins, int next) {
    if (next != bin) {
      if (length > 0) bins.add(bin, length);
      bin = next;
      length = 0;
    }
    ++length;
  }
  __device__ void end(PrivateBins& bins) const {
    if (length > 0) bins.add(bin, length);
  }
};

template <typename T>
__device__ void add_word(PrivateBins& bins, Run& run, const Word& word) {
  _Pragma("unroll")
  for (int i = 0; i < 4; ++i) {
    if constexpr (sizeof(T) == 4) {
      run.add(bins, static_cast<int>(word.part[i] & 255));
    } else {
      _Pragma("unroll")
      for (int byte = 0; byte < 4; ++byte)
        run.add(bins, static_cast<int>(word.part[i] >> 8 * byte & 255));
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(1024)
    histogram_wide(const T* x, int* h, std::int64_t n, int copies) {
  constexpr int per_word = 16 / sizeof(T);
  PrivateBins bins(shared_memory<int>(), copies);
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t me = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto* words = reinterpret_cast<const Word*>(x);
  const std::int64_t count = n / per_word;
  Run run;
  std::int64_t i = me;
  for (; i + (in_flight - 1) * threads < count; i += in_flight * threads) {
    Word loaded[in_flight];
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k)
      loaded[k] = words[i + k * threads];
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k)
      add_word<T>(bins, run, loaded[k]);
  }
  for (; i < count; i += threads)
    add_word<T>(bins, run, words[i]);
  for (i = count * per_word + me; i < n; i += threads)
    run.add(bins, Histogram::bin_of(x[i]));
  run.end(bins);
  bins.add_to(h);
}

}  // namespace

const Register<Histogram, std::uint8_t, int> variant(
    {
        .rung = 3,
        .idea = "16-byte loads, several in flight; equal neighbours counted in "
                "a register",
        .tunables = {block_size(1024), copies_of_bins(32)},
    },
    []<typename T>(Gpu& gpu, const Histogram::Args<T>& p,
                   const Tunables& tunables) {
      launch_private(gpu, p, tunables["block"], tunables["copies"],
                     std::int64_t{16 / sizeof(T)}, histogram_wide<T>);
    });
