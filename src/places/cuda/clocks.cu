#include "places/cuda/clocks.hpp"

#include <algorithm>
#include <vector>

namespace parlab {
namespace {

__device__ unsigned long long global_nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// Each multiprocessor records its own cycle counter and the common clock. There
// are more blocks than multiprocessors, so that each gets at least one.
__global__ void note_clocks(unsigned long long* cycles,
                            unsigned long long* nanoseconds) {
  if (threadIdx.x != 0) return;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  cycles[sm] = clock64();
  nanoseconds[sm] = global_nanoseconds();
}

}  // namespace

Clocks::Clocks(cudaStream_t stream, int device) : stream_(stream) {
  int kilohertz = 0;
  cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount,
                         device);
  cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device);
  highest_hz_ = 1e3 * kilohertz;
  memory_ = device_memory(4 * multiprocessors_ * sizeof(unsigned long long),
                          "clocks");
  read(0);
}

void Clocks::read(int moment) {
  auto* base = reinterpret_cast<unsigned long long*>(memory_.get()) +
               2 * moment * multiprocessors_;
  note_clocks<<<4 * multiprocessors_, 32, 0, stream_>>>(
      base, base + multiprocessors_);
}

double Clocks::hz() const {
  const std::size_t n = multiprocessors_;
  std::vector<unsigned long long> raw(4 * n);
  cuda_check(cudaMemcpy(raw.data(), memory_.get(), raw.size() * sizeof raw[0],
                        cudaMemcpyDeviceToHost),
             "reading clocks");
  std::vector<double> hz;
  for (std::size_t sm = 0; sm < n; ++sm) {
    const double cycles = static_cast<double>(raw[2 * n + sm] - raw[sm]);
    const double ns = static_cast<double>(raw[3 * n + sm] - raw[n + sm]);
    if (ns > 0) hz.push_back(1e9 * cycles / ns);
  }
  if (hz.empty()) return highest_hz_;
  std::nth_element(hz.begin(), hz.begin() + hz.size() / 2, hz.end());
  return hz[hz.size() / 2];
}

}  // namespace parlab
