// Programs that make streams and events themselves. Emulation does work when it
// is queued, so even the wrong ones compute right results here.
#include "places/emulation/planted.hpp"

using planted::Bench;

namespace {

__global__ void copies(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];  // wrong
}

// Two streams, an event, and memory between two kernels.
struct Program {
  Program(const Bench& bench, unsigned flags = cudaStreamDefault) : b(bench) {
    cudaMalloc(&between, bytes());
    for (auto& stream : s)
      cudaStreamCreateWithFlags(&stream, flags);
    cudaEventCreate(&event);
  }
  std::size_t bytes() const { return b.n * sizeof(float); }
  void first(cudaStream_t stream) {
    copies<<<4, 32, 0, stream>>>(b.in, between, b.n);
  }
  void second(cudaStream_t stream) {
    copies<<<4, 32, 0, stream>>>(between, b.out, b.n);
  }

  const Bench& b;
  cudaStream_t s[2];
  cudaEvent_t event;
  float* between;
};

void one_stream(const Bench& b) {
  Program p(b);
  p.first(p.s[0]);
  p.second(p.s[0]);
}
RIGHT(one_stream, 150);
void an_event_between(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  p.first(p.s[0]);
  cudaEventRecord(p.event, p.s[0]);
  cudaStreamWaitEvent(p.s[1], p.event, 0);
  p.second(p.s[1]);
}
RIGHT(an_event_between, 150);
void an_event_and_the_default_stream(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  p.first(nullptr);
  cudaEventRecord(p.event);
  cudaStreamWaitEvent(p.s[0], p.event);
  p.second(p.s[0]);
}
RIGHT(an_event_and_the_default_stream, 150);
void the_host_waits_for_a_stream(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  p.first(p.s[0]);
  cudaStreamSynchronize(p.s[0]);
  p.second(p.s[1]);
}
RIGHT(the_host_waits_for_a_stream, 150);
void the_host_waits_for_an_event(const Bench& b) {
  Program p(b);
  p.first(p.s[0]);
  cudaEventRecord(p.event, p.s[0]);
  cudaEventSynchronize(p.event);
  cudaStream_t later;
  cudaStreamCreate(&later);
  p.second(later);
}
RIGHT(the_host_waits_for_an_event, 150);
void the_host_waits_for_all(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  p.first(p.s[1]);
  cudaDeviceSynchronize();
  p.second(nullptr);
}
RIGHT(the_host_waits_for_all, 150);
void the_default_stream_orders_blocking_ones(const Bench& b) {
  Program p(b);
  p.first(p.s[0]);
  copies<<<4, 32>>>(p.between, b.out, b.n);
  p.first(p.s[1]);
}
RIGHT(the_default_stream_orders_blocking_ones, 150);
void a_copy_on_the_default_stream_ends_at_once(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  cudaMemcpy(p.between, b.in, p.bytes(), cudaMemcpyDeviceToDevice);
  p.second(p.s[0]);
}
RIGHT(a_copy_on_the_default_stream_ends_at_once, 150);
void streams_have_parts(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  for (int i = 0; i < 10; ++i) {
    const int first = 10 * i;
    cudaMemcpyAsync(p.between + first, b.in + first, 40,
                    cudaMemcpyDeviceToDevice, p.s[i % 2]);
    copies<<<1, 32, 0, p.s[i % 2]>>>(p.between + first, b.out + first, 10);
  }
}
RIGHT(streams_have_parts, 150);
void a_wait_covers_what_was_waited_for(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  p.first(p.s[0]);
  cudaEventRecord(p.event, p.s[0]);
  cudaStreamWaitEvent(p.s[1], p.event);
  cudaStreamSynchronize(p.s[1]);
  p.second(nullptr);
}
RIGHT(a_wait_covers_what_was_waited_for, 150);
void a_stream_of_another_execution(const Bench& b) {
  static cudaStream_t kept = [] {
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  Program p(b);
  p.first(kept);
  p.second(kept);
}
RIGHT(a_stream_of_another_execution, 150);

void nothing_between(const Bench& b) {
  Program p(b);
  p.first(p.s[0]);
  p.second(p.s[1]);
}
FAULT(nothing_between, wrong_result, "race_of_streams reads", "[",
      "stream 0 wrote");
void the_default_stream_beside_others(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  p.first(nullptr);
  p.second(p.s[0]);
}
FAULT(the_default_stream_beside_others, wrong_result, "race_of_streams reads",
      "the default stream wrote");
void recorded_too_early(const Bench& b) {
  Program p(b);
  cudaEventRecord(p.event, p.s[0]);
  p.first(p.s[0]);
  cudaStreamWaitEvent(p.s[1], p.event);
  p.second(p.s[1]);
}
FAULT(recorded_too_early, wrong_result, "race_of_streams reads");
void recorded_on_another(const Bench& b) {
  Program p(b);
  p.first(p.s[0]);
  cudaEventRecord(p.event, p.s[1]);
  cudaStreamWaitEvent(p.s[1], p.event);
  p.second(p.s[1]);
}
FAULT(recorded_on_another, wrong_result, "race_of_streams reads");
void recorded_anew(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  p.first(p.s[0]);
  cudaEventRecord(p.event, p.s[0]);
  cudaEventRecord(p.event, p.s[1]);
  cudaStreamWaitEvent(p.s[1], p.event);
  p.second(p.s[1]);
}
FAULT(recorded_anew, wrong_result, "race_of_streams reads");
void waited_too_early(const Bench& b) {
  Program p(b);
  cudaStreamSynchronize(p.s[0]);
  p.first(p.s[0]);
  p.second(p.s[1]);
}
FAULT(waited_too_early, wrong_result, "race_of_streams reads");
void waited_for_another(const Bench& b) {
  Program p(b, cudaStreamNonBlocking);
  p.first(p.s[0]);
  cudaStreamSynchronize(p.s[1]);
  p.second(nullptr);
}
FAULT(waited_for_another, wrong_result, "race_of_streams reads");
void overwritten_while_read(const Bench& b) {
  Program p(b);
  p.first(p.s[0]);
  p.second(p.s[0]);
  p.first(p.s[1]);
}
FAULT(overwritten_while_read, wrong_result, "race_of_streams writes");
void a_fill_beside_a_kernel(const Bench& b) {
  Program p(b);
  cudaMemsetAsync(b.out, 0, p.bytes(), p.s[0]);
  copies<<<4, 32, 0, p.s[1]>>>(b.in, b.out, b.n);
}
FAULT(a_fill_beside_a_kernel, wrong_result, "race_of_streams writes");
void a_copy_beside_a_kernel(const Bench& b) {
  Program p(b);
  p.first(p.s[1]);
  float host[100];
  cudaMemcpyAsync(host, p.between, sizeof host, cudaMemcpyDeviceToHost, p.s[0]);
}
FAULT(a_copy_beside_a_kernel, wrong_result, "race_of_streams reads");

}  // namespace
