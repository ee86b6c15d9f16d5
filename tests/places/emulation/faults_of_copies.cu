// Planted faults: copies that nothing waits for, that are requested wrongly, or
// replaced while they are used.
#include "places/emulation/copies.hpp"
#include "places/emulation/planted.hpp"

using namespace parlab;
using planted::ask_for_box, planted::box_bytes, planted::make_barrier;

namespace {

__global__ void nobody_waits_for_the_box(const float* in, float* out, int n) {
  alignas(128) __shared__ float tile[32];
  __shared__ Barrier full;
  make_barrier(full, 1);
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (threadIdx.x == 0) ask_for_box(tile, full, in, n, i);
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x];  // wrong
}
FAULT(nobody_waits_for_the_box, wrong_result, "never_written");

// As on the hardware: an illegal instruction.
__global__ void a_box_begins_anywhere(const float* in, float* out, int n) {
  alignas(128) __shared__ float tile[32];
  __shared__ Barrier full;
  make_barrier(full, 1);
  if (threadIdx.x == 0) ask_for_box(tile, full, in, n, 1);
  wait(full, 0);
  const int t = threadIdx.x;
  if (t + 1 < n) out[t + 1] = tile[t];
}
FAULT(a_box_begins_anywhere, launch_failed, "box_begins_oddly 4");

__global__ void a_box_has_an_odd_place(const float* in, float* out, int n) {
  alignas(128) __shared__ float tile[36];
  __shared__ Barrier full;
  make_barrier(full, 1);
  if (threadIdx.x == 0) ask_for_box(tile + 4, full, in, n, 0);
  wait(full, 0);
  if (threadIdx.x == 0) out[0] = tile[4];
}
FAULT(a_box_has_an_odd_place, launch_failed, "box_to_odd_address");

__global__ void nobody_made_the_barrier(const float* in, float* out, int n) {
  __shared__ Barrier full;
  if (threadIdx.x == 0) arrive(full);
  const int t = threadIdx.x;
  if (t < n) out[t] = in[t];
}
FAULT(nobody_made_the_barrier, launch_failed, "barrier_not_initialised");

// The phase cannot end, since its bytes are missing; one more arrives.
__global__ void more_arrive_than_may(const float* in, float* out, int n) {
  __shared__ Barrier full;
  make_barrier(full, 2);
  if (threadIdx.x == 0) arrive_expecting(full, box_bytes);
  __syncthreads();
  if (threadIdx.x < 2) arrive(full);
  const int t = threadIdx.x;
  if (t < n) out[t] = in[t];
}
FAULT(more_arrive_than_may, launch_failed, "barrier_full");

// The next box may arrive while some threads still wait for the previous one,
// which they then miss.
__global__ void a_stage_is_not_free(const float* in, float* out, int n) {
  alignas(128) __shared__ float tile[32];
  __shared__ Barrier full;
  make_barrier(full, 1);
  const int t = threadIdx.x;
  for (int step = 0; step < 2; ++step) {
    if (t == 0) ask_for_box(tile, full, in, n, step * 32);
    wait(full, step % 2);
    if (step * 32 + t < n) out[step * 32 + t] = tile[t];
  }
}
FAULT(a_stage_is_not_free, launch_failed, "waits_for_ever").at(64, 32);

__global__ void bytes_never_come(const float* in, float* out, int n) {
  __shared__ Barrier full;
  make_barrier(full, 1);
  if (threadIdx.x == 0) arrive_expecting(full, box_bytes);
  wait(full, 0);
  const int t = threadIdx.x;
  if (t < n) out[t] = in[t];
}
FAULT(bytes_never_come, launch_failed, "waits_for_ever 0 128");

__global__ void nobody_waits_for_the_bytes(const float* in, float* out, int n) {
  alignas(16) __shared__ float tile[32];
  __shared__ Barrier full;
  make_barrier(full, 1);
  const int t = threadIdx.x;
  if (blockIdx.x > 0) return;
  if (t == 0) {
    arrive_expecting(full, sizeof(tile));
    load_bytes(tile, in, sizeof(tile), full);
  }
  __syncthreads();
  if (t < n) out[t] = tile[t];  // wrong
}
FAULT(nobody_waits_for_the_bytes, wrong_result, "never_written");

__global__ void bytes_begin_anywhere(const float* in, float* out, int n) {
  alignas(16) __shared__ float tile[32];
  __shared__ Barrier full;
  make_barrier(full, 1);
  const int t = threadIdx.x;
  if (t == 0) {
    arrive_expecting(full, 16);
    load_bytes(tile, in + 1, 16, full);
  }
  wait(full, 0);
  if (t < n && t < 4) out[t] = tile[t];
}
FAULT(bytes_begin_anywhere, launch_failed, "odd_bulk_copy 16");

__global__ void nobody_waits_for_threads(const float* in, float* out, int n) {
  alignas(16) __shared__ float tile[64];
  __shared__ Barrier full;
  make_barrier(full, 32);
  const int t = threadIdx.x;
  if (blockIdx.x > 0) return;
  load_async<8>(&tile[t * 2], in + t * 2);
  arrive_after_copies(full);
  __syncthreads();
  if (t < n) out[t] = tile[t];  // wrong
}
FAULT(nobody_waits_for_threads, wrong_result, "never_written");

// The arrival does not cover the copy that follows it.
__global__ void a_copy_comes_after_its_arrival(const float* in, float* out,
                                               int n) {
  alignas(16) __shared__ float tile[64];
  __shared__ Barrier full;
  make_barrier(full, 32);
  const int t = threadIdx.x;
  if (blockIdx.x > 0) return;
  arrive_after_copies(full);
  load_async<8>(&tile[t * 2], in + t * 2);
  wait(full, 0);
  if (t < n) out[t] = tile[t];  // wrong
}
FAULT(a_copy_comes_after_its_arrival, wrong_result, "never_written");

// An arrival that waits for copies counts as one of the barrier's arrivals.
__global__ void threads_are_not_counted(const float* in, float* out, int n) {
  alignas(16) __shared__ float tile[64];
  __shared__ Barrier full;
  make_barrier(full, 33);
  const int t = threadIdx.x;
  load_async<8>(&tile[t * 2], in + t * 2);
  arrive_after_copies(full);
  wait(full, 0);
  if (t < n) out[t] = tile[t];
}
FAULT(threads_are_not_counted, launch_failed, "waits_for_ever 1 0");

}  // namespace
