#include "facts/cause.hpp"
#include "places/cuda/gate.hpp"

namespace parlab {
namespace {

// a deadlock is not a measurement
constexpr unsigned long long gate_limit_ns = 10'000'000'000;

__global__ void wait_for_host(volatile int* open, volatile int* timed_out) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  while (*open == 0) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - start > gate_limit_ns) {
      *timed_out = 1;
      return;
    }
  }
}

}  // namespace

void Gate::close() {
  *words_ = {0, 0};
  wait_for_host<<<1, 1, 0, stream_>>>(&words_->open, &words_->timed_out);
  cuda_check(cudaGetLastError(), "queueing the gate");
}

void Gate::open_and_wait(const char* doing) {
  open();
  cuda_check(cudaStreamSynchronize(stream_), doing);
  cuda_check(cudaGetLastError(), doing);
  if (words_->timed_out != 0) {
    throw PointError(Verdict::launch_failed,
                     "the variant waits for the device while it runs: it must "
                     "only queue work, "
                     "without cudaDeviceSynchronize, cudaMalloc or copies to "
                     "pageable memory");
  }
}

}  // namespace parlab
