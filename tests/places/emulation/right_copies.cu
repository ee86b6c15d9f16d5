// Correct kernels whose copies arrive at barriers.
#include "places/emulation/copies.hpp"
#include "places/emulation/planted.hpp"

using namespace parlab;
using planted::ask_for_box, planted::box_bytes, planted::make_barrier,
    planted::row_of_boxes;

namespace {

// Elements beyond the row arrive as zeros.
__global__ void a_box_arrives(const float* in, float* out, int n) {
  alignas(128) __shared__ float tile[32];
  __shared__ Barrier full;
  make_barrier(full, 1);
  const int t = threadIdx.x, first = blockIdx.x * 32;
  if (t == 0) ask_for_box(tile, full, in, n, first);
  wait(full, 0);
  if (first + t < n) {
    out[first + t] = tile[t];
  } else if (tile[t] != 0) {
    out[0] = -1000;
  }
}
RIGHT(a_box_arrives, 150);
RIGHT(a_box_arrives, 147).at(99, 32);

// Rows of 128 bytes in a pattern: 16 bytes of row r lie at their place ^ r.
__global__ void a_box_is_permuted(const float* in, float* out, int n) {
  alignas(1024) __shared__ float tile[8 * 32];
  __shared__ Barrier full;
  if (blockIdx.x > 0) return;
  make_barrier(full, 1);
  TensorMap map = row_of_boxes(in, 32);
  map.extent[1] = n / 32;
  map.pitch[0] = box_bytes;
  map.box[1] = 8;
  map.swizzle = 128;
  const int col = threadIdx.x;
  if (col == 0) {
    arrive_expecting(full, 8 * box_bytes);
    load_box(tile, map, full, 0, 0);
  }
  wait(full, 0);
  for (int row = 0; row < n / 32; ++row) {
    const float found = tile[row * 32 + (col / 4 ^ row) * 4 + col % 4];
    out[row * 32 + col] = found == in[row * 32 + col] ? found : -1000;
  }
}
RIGHT(a_box_is_permuted, 48 * 3).at(96, 32);

// One lane of each warp waits, and tells its warp.
__global__ void one_lane_waits(const float* in, float* out, int n) {
  alignas(128) __shared__ float tile[32];
  __shared__ Barrier full;
  make_barrier(full, 1);
  const int t = threadIdx.x;
  if (blockIdx.x > 0) return;
  if (t == 0) ask_for_box(tile, full, in, n, 0);
  if (t % 32 == 0) wait(full, 0);
  __syncwarp();
  if (t >= 32) out[t - 32] = tile[t - 32];
}
RIGHT(one_lane_waits, 48).at(64, 64);

// A single stage: a reader asks for the next box once before the stage is free,
// and waits for it afterwards.
__global__ void asks_early(const float* in, float* out, int n) {
  alignas(128) __shared__ float tile[32];
  __shared__ Barrier full, empty;
  make_barrier(full, 1);
  make_barrier(empty, 1);
  const int t = threadIdx.x, steps = n / 32;
  if (blockIdx.x > 0 || t > 32) return;
  std::uint32_t parity = 0, arrived = 0;
  for (int step = 0; step < steps; ++step, parity ^= 1) {
    if (t == 32) {
      wait(empty, parity ^ 1);
      ask_for_box(tile, full, in, n, step * 32);
      continue;
    }
    if (arrived == 0) wait(full, parity);
    out[step * 32 + t] = tile[t];
    __syncwarp();
    arrived = has_arrived(full, parity ^ 1);
    if (t == 0) arrive(empty);
  }
}
RIGHT(asks_early, 48 * 4).at(128, 64);

// The second warp copies and the first one reads, through two stages; all
// blocks except the first are idle.
__global__ void a_ring_of_boxes(const float* in, float* out, int n) {
  alignas(128) __shared__ float tile[2][32];
  __shared__ Barrier full[2], empty[2];
  for (int stage = 0; stage < 2; ++stage) {
    make_barrier(full[stage], 1);
    make_barrier(empty[stage], 1);
  }
  if (blockIdx.x > 0) return;
  Ring<2> ring;
  const int steps = (n + 31) / 32, t = threadIdx.x;
  if (t > 32) return;
  for (int step = 0; step < steps; ++step, ring.advance()) {
    if (t == 32) {
      wait(empty[ring.stage], ring.parity ^ 1);
      ask_for_box(tile[ring.stage], full[ring.stage], in, n, step * 32);
      continue;
    }
    while (has_arrived(full[ring.stage], ring.parity) == 0) {
    }
    if (step * 32 + t < n) out[step * 32 + t] = tile[ring.stage][t];
    __syncwarp();
    if (t == 0) arrive(empty[ring.stage]);
  }
}
RIGHT(a_ring_of_boxes, 450).at(300, 64);

// Each thread copies words that another one uses, and zeros beyond the row.
__global__ void copies_of_threads_arrive(const float* in, float* out, int n) {
  alignas(16) __shared__ float tile[64];
  __shared__ Barrier full;
  make_barrier(full, 32);
  const int t = threadIdx.x, first = blockIdx.x * 64 + t * 2;
  load_async<8>(&tile[t * 2], in + first,
                4 * (first + 1 < n ? 2
                     : first < n   ? 1
                                   : 0));
  arrive_after_copies(full);
  wait(full, 0);
  for (int i = t; i < 64; i += 32) {
    const int at = blockIdx.x * 64 + i;
    if (at < n) {
      out[at] = tile[i];
    } else if (tile[i] != 0) {
      out[0] = -1000;
    }
  }
}
RIGHT(copies_of_threads_arrive, 150);
RIGHT(copies_of_threads_arrive, 147).at(99, 32);

// An arrival comes after all earlier copies, also those of other barriers; it
// does not wait for later ones.
__global__ void one_barrier_of_two_is_asked(const float* in, float* out,
                                            int n) {
  alignas(16) __shared__ float tile[3][64];
  __shared__ Barrier first, second;
  make_barrier(first, 33);
  make_barrier(second, 32);
  const int t = threadIdx.x;
  if (blockIdx.x > 0) return;
  load_async<8>(&tile[0][t * 2], in + t * 2);
  arrive_after_copies(first);
  load_async<8>(&tile[1][t * 2], in + 64 + t * 2);
  arrive_after_copies(second);
  tile[2][t] = 7;
  load_async<8>(&tile[2][t * 2], in + t * 2, 0);
  wait(second, 0);
  for (int i = t; i < n; i += 32)
    out[i] = tile[i / 64][i % 64];
}
RIGHT(one_barrier_of_two_is_asked, 48 * 4).at(128, 32);

// The second warp copies, one lane of it by a box, through two stages.
__global__ void a_ring_of_both(const float* in, float* out, int n) {
  alignas(128) __shared__ float tile[2][64];
  __shared__ Barrier full[2], empty[2];
  for (int stage = 0; stage < 2; ++stage) {
    make_barrier(full[stage], 33);
    make_barrier(empty[stage], 1);
  }
  if (blockIdx.x > 0) return;
  Ring<2> ring;
  const int steps = (n + 63) / 64, t = threadIdx.x;
  for (int step = 0; step < steps; ++step, ring.advance()) {
    float* const to = tile[ring.stage];
    if (t >= 32) {
      wait(empty[ring.stage], ring.parity ^ 1);
      const int x = step * 64, from = x + 32 + (t - 32) / 2 * 2;
      if (t == 32) ask_for_box(to, full[ring.stage], in, n, x);
      if (t % 2 == 0) {
        load_async<8>(to + from - x, in + from,
                      4 * (from + 1 < n ? 2
                           : from < n   ? 1
                                        : 0));
      }
      arrive_after_copies(full[ring.stage]);
      continue;
    }
    wait(full[ring.stage], ring.parity);
    for (int i = t; i < 64; i += 32) {
      if (step * 64 + i < n) out[step * 64 + i] = to[i];
    }
    __syncwarp();
    if (t == 0) arrive(empty[ring.stage]);
  }
}
RIGHT(a_ring_of_both, 450).at(300, 64);

}  // namespace
