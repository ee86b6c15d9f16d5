#include "places/cuda/device_ceilings.hpp"

#include <algorithm>

#include "gpu/tensor_cores.hpp"

namespace parlab {
namespace {

constexpr int block_threads = 512;
constexpr int loads_in_flight = 8;  // 16-byte loads that a thread issues before it uses the first

__global__ void empty_kernel() {}

// Reads everything once; the first `kept` words stay in the cache for the next time, the others
// pass through, so that a footprint beyond the cache does not push all of itself out. The sum is
// only there so that no load can be left out.
__global__ void __launch_bounds__(block_threads)
    read_all(const float4* data, std::size_t count, std::size_t kept, float* sink) {
  const std::size_t stride = std::size_t{gridDim.x} * block_threads;
  std::size_t i = blockIdx.x * std::size_t{block_threads} + threadIdx.x;
  float4 sum{};
  for (; i + (loads_in_flight - 1) * stride < count; i += loads_in_flight * stride) {
    float4 loaded[loads_in_flight];
    if (i < kept) {
#pragma unroll
      for (int k = 0; k < loads_in_flight; ++k) loaded[k] = data[i + k * stride];
    } else {
#pragma unroll
      for (int k = 0; k < loads_in_flight; ++k) loaded[k] = __ldcs(&data[i + k * stride]);
    }
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) {
      sum.x += loaded[k].x, sum.y += loaded[k].y, sum.z += loaded[k].z, sum.w += loaded[k].w;
    }
  }
  for (; i < count; i += stride) sum.x += data[i].x + data[i].y + data[i].z + data[i].w;
  if (sum.x + sum.y + sum.z + sum.w == 1e30f) *sink = 1;
}

// Each block copies contiguous pieces, and the blocks that run at the same time copy neighbouring
// ones: memory is faster for that than for streams that are far apart.
__global__ void __launch_bounds__(block_threads)
    copy_all(const float4* from, float4* to, std::size_t count) {
  constexpr int in_flight = loads_in_flight / 2;
  constexpr std::size_t piece = in_flight * block_threads;
  for (std::size_t first = blockIdx.x * piece; first < count; first += gridDim.x * piece) {
    const std::size_t i = first + threadIdx.x;
    if (first + piece <= count) {
      float4 loaded[in_flight];
#pragma unroll
      for (int k = 0; k < in_flight; ++k) loaded[k] = __ldcs(&from[i + k * block_threads]);
#pragma unroll
      for (int k = 0; k < in_flight; ++k) __stcs(&to[i + k * block_threads], loaded[k]);
    } else {
      for (std::size_t k = i; k < count; k += block_threads) to[k] = from[k];
    }
  }
}

constexpr int chains = 8;  // independent accumulators hide the latency of an FMA
constexpr int fma_steps = 4096;

template <typename T>
__global__ void __launch_bounds__(block_threads) multiply_add(T a, T b, T* sink) {
  T sum[chains];
#pragma unroll
  for (int k = 0; k < chains; ++k) sum[k] = static_cast<T>(threadIdx.x + k);
#pragma unroll 16
  for (int step = 0; step < fma_steps; ++step) {
#pragma unroll
    for (int k = 0; k < chains; ++k) sum[k] = sum[k] * a + b;
  }
  T total = 0;
#pragma unroll
  for (int k = 0; k < chains; ++k) total += sum[k];
  if (total == static_cast<T>(12345)) *sink = total;
}

// The same by warps, on the tensor cores: 16 x 8 sums of 4 products per instruction.
__global__ void __launch_bounds__(block_threads) multiply_matrices(double value, double* sink) {
  const double a[2] = {value, value};
  double sum[chains][4];
#pragma unroll
  for (int k = 0; k < chains; ++k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[k][i] = static_cast<double>(threadIdx.x + k + i);
  }
#pragma unroll 4
  for (int step = 0; step < fma_steps / 4; ++step) {
#pragma unroll
    for (int k = 0; k < chains; ++k) tensor_multiply_add(sum[k], a, value);
  }
  double total = 0;
#pragma unroll
  for (int k = 0; k < chains; ++k) total += sum[k][0] + sum[k][1] + sum[k][2] + sum[k][3];
  if (total == 12345) *sink = total;
}

// The best of a few short batches: a roof is what was reached, not what is usual. The first batch
// that ran below the clock does not count.
double best_seconds(DeviceTimer& timer, const std::function<void()>& run, int count = 8) {
  run();  // in the open: loading a kernel's code must not wait behind the timer's gate
  double best = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < 4; ++attempt) {
    const Batch batch = timer.time(run, count, Cache::hot);
    if (!batch.discarded.empty() && attempt < 3) continue;
    best = std::min(best, median(batch.seconds));
    if (attempt > 0) break;
  }
  return best;
}

}  // namespace

Ceilings measure_device_ceilings(CudaGpu& gpu, DeviceTimer& timer) {
  Ceilings ceilings;
  const std::int64_t sms = gpu.multiprocessors();
  const auto stream = gpu.cuda_stream();
  std::size_t free = 0, total = 0;
  cuda_check(cudaMemGetInfo(&free, &total), "asking for free memory");
  const std::size_t most = std::min<std::size_t>(std::size_t{4} << 30, free / 4);
  const auto memory = device_memory(most, "measuring the bandwidth");
  const auto sink = device_memory(16, "measuring the bandwidth");
  cuda_check(cudaMemset(memory.get(), 0, most), "measuring the bandwidth");
  auto* data = reinterpret_cast<float4*>(memory.get());
  auto* out = reinterpret_cast<float*>(sink.get());

  ceilings.launch_s = best_seconds(
      timer, [&] { empty_kernel<<<1, 32, 0, stream>>>(); }, 32);
  for (std::size_t bytes = std::size_t{1} << 18; bytes <= most; bytes *= 2) {
    double read = 0, copy = 0;
    const std::size_t count = bytes / sizeof(float4);
    const auto rate = [&](const std::function<void()>& run) {
      return static_cast<double>(bytes) / best_seconds(timer, run);
    };
    const auto one_pass =
        ceil_div(static_cast<std::int64_t>(count), block_threads * loads_in_flight);
    for (const std::int64_t wanted : {sms, 2 * sms, 4 * sms, 8 * sms, one_pass}) {
      // A small footprint has no work for more blocks than one 16-byte load per thread needs.
      const auto blocks =
          static_cast<unsigned>(std::min(wanted, std::int64_t{loads_in_flight} * one_pass));
      for (const std::size_t kept : {std::size_t{0}, gpu.l2_bytes() / 3 / sizeof(float4), count}) {
        read = std::max(read, rate([&] {
                          read_all<<<blocks, block_threads, 0, stream>>>(data, count, kept, out);
                        }));
      }
      copy = std::max(copy, rate([&] {
                        copy_all<<<blocks, block_threads, 0, stream>>>(data, data + count / 2,
                                                                       count / 2);
                      }));
    }
    ceilings.read.emplace_back(static_cast<double>(bytes), read);
    ceilings.copy.emplace_back(static_cast<double>(bytes), copy);
  }
  const auto blocks = static_cast<unsigned>(4 * sms);
  const double flops = 2.0 * fma_steps * chains * block_threads * blocks;
  const auto fma = [&]<typename T>(T value) {
    auto* typed = reinterpret_cast<T*>(sink.get());
    return flops / best_seconds(timer, [&] {
             multiply_add<<<blocks, block_threads, 0, stream>>>(value, value, typed);
           });
  };
  ceilings.units = {{"fma float", fma(1.0f)}, {"fma double", fma(1.0)}, {"int", fma(1)}};
  const double matrix_flops = 2.0 * 16 * 8 * chains * fma_steps * (block_threads / 32) * blocks;
  const double by_matrices = matrix_flops / best_seconds(timer, [&] {
                               multiply_matrices<<<blocks, block_threads, 0, stream>>>(
                                   1.0, reinterpret_cast<double*>(sink.get()));
                             });
  // Without tensor cores for doubles such products are multiply-adds, and are judged as such.
  ceilings.units["tensor double"] = std::max(by_matrices, ceilings.units["fma double"]);
  return ceilings;
}

}  // namespace parlab
