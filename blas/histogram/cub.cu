// The histogram of CUB: even bins from 0 to 256, one for each value. It counts
// bytes as they are. It would leave out an int beyond 255, so it reads ints
// through an iterator that keeps their lowest byte.
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_histogram.cuh>
#include <string>

#include "core/types.hpp"
#include "facts/cause.hpp"
#include "gpu/gpu.hpp"
#include "workloads/histogram.hpp"

using namespace parlab;

namespace {

struct LowestByte {
  __host__ __device__ unsigned char operator()(int x) const {
    return static_cast<unsigned char>(x);
  }
};

template <typename Iterator>
void histogram_cub(Gpu& gpu, Iterator x, int* h, std::int64_t n) {
  const auto count = [&](void* scratch, std::size_t& bytes) {
    const auto status = cub::DeviceHistogram::HistogramEven(
        scratch, bytes, x, h, Histogram::bins + 1, 0, Histogram::bins, n,
        static_cast<cudaStream_t>(gpu.stream()));
    if (status != cudaSuccess) {
      throw PointError(
          Verdict::launch_failed,
          std::string("cub::DeviceHistogram::HistogramEven failed: ") +
              cudaGetErrorString(status));
    }
  };
  std::size_t bytes = 0;
  count(nullptr, bytes);
  count(gpu.scratch<std::byte>(static_cast<std::int64_t>(bytes)), bytes);
}

}  // namespace

const Register<Histogram, std::uint8_t, int> variant(
    {
        .rung = 100,
        .idea = "DeviceHistogram::HistogramEven of CUB",
    },
    []<typename T>(Gpu& gpu, const Histogram::Args<T>& p, const Tunables&) {
      if constexpr (sizeof(T) == 1) {
        histogram_cub(gpu, p.x, p.h, p.n);
      } else {
        histogram_cub(gpu, thrust::make_transform_iterator(p.x, LowestByte{}),
                      p.h, p.n);
      }
    });
