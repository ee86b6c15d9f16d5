// A stream that the framework does not know, and a kernel that takes its time.
#pragma once

#include "gpu/gpu.hpp"

#ifndef PARLAB_EMULATED
namespace {

__device__ void pass_time(long long nanoseconds) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

__global__ void spin(long long nanoseconds) {
  pass_time(nanoseconds);
}

struct OtherStream {
  OtherStream() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  }
  cudaStream_t stream{};
  cudaEvent_t fork{}, join{};
  // It waits for what was queued on the gpu's stream.
  void after(parlab::Gpu& gpu) {
    cudaEventRecord(fork, static_cast<cudaStream_t>(gpu.stream()));
    cudaStreamWaitEvent(stream, fork);
  }
};

}  // namespace
#endif
