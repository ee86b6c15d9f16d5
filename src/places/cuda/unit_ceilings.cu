#include <algorithm>

#include "facts/cause.hpp"
#include "gpu/tensor_cores.hpp"
#include "gpu/warpgroup.hpp"
#include "places/cuda/contest.hpp"
#include "places/cuda/device_ceilings.hpp"

namespace parlab {
namespace {

constexpr int unit_threads = 512;
// independent accumulators hide the latency of an FMA
constexpr int chains = 8;
constexpr int fma_steps = 4096;

template <typename T>
__global__ void __launch_bounds__(unit_threads)
    multiply_add_alone(T a, T b, T* sink) {
  T sum[chains];
  _Pragma("unroll")
  for (int k = 0; k < chains; ++k)
    sum[k] = static_cast<T>(threadIdx.x + k);
  _Pragma("unroll 16")
  for (int step = 0; step < fma_steps; ++step) {
    _Pragma("unroll")
    for (int k = 0; k < chains; ++k)
      sum[k] = sum[k] * a + b;
  }
  T total = 0;
  _Pragma("unroll")
  for (int k = 0; k < chains; ++k)
    total += sum[k];
  if (total == static_cast<T>(12345)) *sink = total;
}

// Products by warps on the tensor cores: 16 x 8 sums of K products per
// instruction.
constexpr int double_products = 8192;  // products of depth 4 per warp

template <int K, int accumulators>
__global__ void __launch_bounds__(unit_threads)
    multiply_doubles(double value, double* sink) {
  double a[K / 2], b[K / 4];
  for (double& factor : a)
    factor = value;
  for (double& factor : b)
    factor = value;
  double sum[accumulators][4];
  _Pragma("unroll")
  for (int k = 0; k < accumulators; ++k) {
    _Pragma("unroll")
    for (int i = 0; i < 4; ++i)
      sum[k][i] = static_cast<double>(threadIdx.x + k + i);
  }
  _Pragma("unroll 8")
  for (int step = 0; step < double_products * 4 / K / accumulators; ++step) {
    _Pragma("unroll")
    for (int k = 0; k < accumulators; ++k)
      tensor_multiply_add<K>(sum[k], a, b);
  }
  double total = 0;
  _Pragma("unroll")
  for (int k = 0; k < accumulators; ++k)
    total += sum[k][0] + sum[k][1] + sum[k][2] + sum[k][3];
  if (total == 12345) *sink = total;
}

// Products by warpgroups: 64 x 256 sums per instruction, with K of 32 bytes and
// both operands in shared memory. Two warpgroups per multiprocessor fill its
// registers with sums, and one computes while the other waits. The operands are
// zero, because switching bits costs power; so no data can beat this peak.
constexpr int group_steps = 1024, products_per_step = 16, warpgroups = 2;
constexpr int panel_bytes = 128, a_rows = 64, b_rows = 256;

template <Factor factor, typename Sum>
__global__ void __launch_bounds__(128 * warpgroups, 1)
    multiply_by_warpgroups(Sum* sink) {
  __shared__ __align__(1024) unsigned char a[a_rows * panel_bytes],
      b[b_rows * panel_bytes];
  for (int i = threadIdx.x; i < a_rows * panel_bytes; i += blockDim.x)
    a[i] = 0;
  for (int i = threadIdx.x; i < b_rows * panel_bytes; i += blockDim.x)
    b[i] = 0;
  fence_for_copies();
  __syncthreads();
  Sum sum[128] = {};
  for (int step = 0; step < group_steps; ++step) {
    pin_registers(sum);
    begin_products();
    _Pragma("unroll")
    for (int k = 0; k < products_per_step; ++k) {
      // four products use up a panel of 128 bytes
      const int across = k % 4 * 32;
      multiply_add<factor>(sum,
                           operand_in_shared<128>(a + across, 8 * panel_bytes),
                           operand_in_shared<128>(b + across, 8 * panel_bytes));
    }
    end_products();
    pin_registers(sum);
    wait_for_products<0>();
  }
  Sum total = 0;
  _Pragma("unroll")
  for (const Sum one : sum)
    total += one;
  if (total == Sum(12345)) *sink = total;
}

class Units {
 public:
  Units(Ceilings& ceilings, CudaGpu& gpu, GpuTimer& timer,
        const WantedCeilings& wanted)
      : ceilings_(ceilings),
        timer_(timer),
        wanted_(wanted),
        stream_(gpu.cuda_stream()),
        multiprocessors_(gpu.multiprocessors()),
        sink_(device_memory(16, "measuring arithmetic")) {}

  template <typename T>
  void multiply_adds(const std::string& unit) {
    if (!wanted_.unit(unit)) return;
    const auto blocks = static_cast<unsigned>(4 * multiprocessors_);
    T* out = sink<T>();
    Contest contest(timer_, wanted_.all());
    contest.enter("8 chains per thread", [=, this] {
      multiply_add_alone<<<blocks, unit_threads, 0, stream_>>>(T(1), T(1), out);
    });
    keep(unit, contest, 2.0 * fma_steps * chains * unit_threads * blocks);
  }

  void tensor_doubles() {
    const std::string unit = "tensor double";
    if (!wanted_.unit(unit)) return;
    Contest contest(timer_, wanted_.all());
    const std::int64_t warps = 4 * multiprocessors_ * (unit_threads / 32);
    double* out = sink<double>();
    const auto enter = [&](void (*kernel)(double, double*),
                           const std::string& way) {
      for (const int threads : {128, 256, 512}) {
        const auto blocks = static_cast<unsigned>(warps * 32 / threads);
        contest.enter(way, [=, this] {
          kernel<<<blocks, threads, 0, stream_>>>(1.0, out);
        });
      }
    };
    enter(multiply_doubles<4, 4>, "16x8x4 products, 4 accumulators per warp");
    enter(multiply_doubles<4, 8>, "16x8x4 products, 8 accumulators per warp");
    enter(multiply_doubles<8, 8>, "16x8x8 products, 8 accumulators per warp");
    enter(multiply_doubles<16, 4>, "16x8x16 products, 4 accumulators per warp");
    enter(multiply_doubles<16, 8>, "16x8x16 products, 8 accumulators per warp");
    keep(unit, contest,
         2.0 * 16 * 8 * 4 * double_products * static_cast<double>(warps));
    // Without tensor cores for doubles, such products are multiply-adds and
    // have their peak.
    const auto alone = ceilings_.units.find("fma double");
    if (alone == ceilings_.units.end()) return;
    double& peak = ceilings_.units[unit];
    peak = std::max(peak, alone->second);
  }

  template <Factor factor, typename Sum>
  void warpgroup_products(const std::string& unit, int k) {
    if (!wanted_.unit(unit)) return;
    const auto blocks = static_cast<unsigned>(multiprocessors_);
    Sum* out = sink<Sum>();
    Contest contest(timer_, wanted_.all());
    contest.enter("64x256 products by two warpgroups", [=, this] {
      multiply_by_warpgroups<factor>
          <<<blocks, 128 * warpgroups, 0, stream_>>>(out);
    });
    keep(unit, contest,
         2.0 * 64 * 256 * k * products_per_step * group_steps * warpgroups *
             blocks);
  }

 private:
  template <typename T>
  T* sink() const {
    return reinterpret_cast<T*>(sink_.get());
  }

  void keep(const std::string& unit, const Contest& contest, double flops) {
    ceilings_.units[unit] = flops / contest.seconds();
    ceilings_.ways[unit] = contest.way();
  }

  Ceilings& ceilings_;
  GpuTimer& timer_;
  const WantedCeilings& wanted_;
  cudaStream_t stream_;
  std::int64_t multiprocessors_;
  DeviceMemory sink_;
};

}  // namespace

void measure_units(Ceilings& ceilings, CudaGpu& gpu, GpuTimer& timer,
                   const WantedCeilings& wanted) {
  Units units(ceilings, gpu, timer, wanted);
  units.multiply_adds<float>("fma float");
  units.multiply_adds<double>("fma double");
  units.multiply_adds<int>("int");
  const bool warpgroups = has_warpgroups();
  // On compute capability 9.0, products compiled for older devices run at half
  // the rate. Without code for 9.0 the unit gets no roof, because libraries
  // would beat it.
  int device = 0, major = 0;
  cuda_check(cudaGetDevice(&device), "asking for the device");
  cuda_check(
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
      "asking for its compute capability");
  if (warpgroups || major != 9) units.tensor_doubles();
  if (!warpgroups) return;
  units.warpgroup_products<Factor::f16, float>("tensor half", 16);
  units.warpgroup_products<Factor::bf16, float>("tensor bfloat16", 16);
  units.warpgroup_products<Factor::tf32, float>("tensor tf32", 8);
  units.warpgroup_products<Factor::int8, int>("tensor int8", 32);
}

}  // namespace parlab
