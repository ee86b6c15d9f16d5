// One pass: x is read once and y is written once, where three launches move
// half as much again. A block scans its tile in registers and publishes the
// tile's sum. Then it looks back: a warp reads the states of the 32 tiles
// before, then of the 32 before those, until a tile knows its prefix, the sum
// of all from the beginning to its end. It adds the sums of the tiles in
// between and publishes its own prefix. So no block waits for the whole chain.
// Merrill and Garland described it in 2016 as decoupled look-back.
//
// A sum and a prefix are words of 8 bytes each, which are 0 until they are
// known. A word is seen whole or not at all: no fence has to order a value and
// a flag. A block takes its tile from a counter when it starts. By then all
// tiles before it have running blocks, and none waits for a block without a
// place to run. A first launch sets words and counter to 0; the second one
// starts meanwhile. The order of additions depends on which prefixes are known
// when.
#include <bit>

#include "block_scan.cuh"
#include "gpu/overlap.hpp"
#include "workloads/scan.hpp"

namespace {

using Bits = unsigned long long;

// A value as a word that is never 0: 4-byte values beside a 1; a double 0
// becomes -0, which adds to anything as 0 does.
__device__ Bits to_bits(int value) {
  return Bits{1} << 32 | static_cast<unsigned>(value);
}
__device__ Bits to_bits(float value) {
  return Bits{1} << 32 | __float_as_uint(value);
}
__device__ Bits to_bits(double value) {
  return value == 0 ? Bits{1} << 63
                    : static_cast<Bits>(__double_as_longlong(value));
}
template <typename T>
__device__ T from_bits(Bits bits) {
  if constexpr (sizeof(T) == 8)
    return __longlong_as_double(static_cast<long long>(bits));
  if constexpr (std::is_same_v<T, float>)
    return __uint_as_float(static_cast<unsigned>(bits));
  return static_cast<T>(static_cast<unsigned>(bits));
}

// A tile publishes its own sum, and the sum of all elements up to its end.
struct alignas(16) State {
  Bits sum, prefix;
};

// Each of the two words is read whole; they need not be of the same moment.
__device__ State read(State* state) {
#ifdef PARLAB_EMULATED
  return {atomicAdd(&state->sum, 0), atomicAdd(&state->prefix, 0)};
#else
  State now;
  asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];"
               : "=l"(now.sum), "=l"(now.prefix)
               : "l"(state)
               : "memory");
  return now;
#endif
}

// The sum of all before this tile, in all lanes of the warp.
template <typename T>
__device__ T look_back(State* states, std::int64_t tile) {
  const int lane = threadIdx.x % 32;
  T sum = 0;
  for (;; tile -= 32) {
    const std::int64_t other = tile - 1 - lane;  // lane 0 has the nearest
    State state;
    unsigned knowing, nearer, unknown;
    do {
      state = other < 0 ? State{0, to_bits(T{0})} : read(states + other);
      knowing = __ballot_sync(all_lanes, state.prefix != 0);
      nearer = (knowing & -knowing) - 1;  // lanes before that one, or all
      unknown = __ballot_sync(all_lanes, state.sum == 0) & nearer;
    } while (unknown != 0);

    const bool is_nearer = nearer >> lane & 1;
    const bool is_nearest = (knowing & -knowing) >> lane & 1;
    T value = is_nearer    ? from_bits<T>(state.sum)
              : is_nearest ? from_bits<T>(state.prefix)
                           : T{0};
    _Pragma("unroll")
    for (int step = 16; step > 0; step /= 2)
      value += __shfl_xor_sync(all_lanes, value, step);
    sum += value;
    if (knowing != 0) return sum;
  }
}

// count: one more than there are tiles, for the counter.
__global__ void scan_clear_states(State* states, std::int64_t count) {
  let_next_launch_begin();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) states[i] = {0, 0};
}

// A grid of one block does not use the states.
template <typename T, int words>
__global__ void __launch_bounds__(1024)
    scan_look_back(const T* x, T* y, std::int64_t n, State* states) {
  __shared__ T part[32];
  __shared__ unsigned ticket;
  __shared__ T before_tile;
  wait_for_launch_before();
  if (threadIdx.x == 0) {
    before_tile = 0;
    ticket = 0;
    if (gridDim.x > 1) {
      ticket = static_cast<unsigned>(atomicAdd(&states[gridDim.x].sum, 1));
    }
  }
  __syncthreads();
  const unsigned me = ticket;

  TileOfBlock<T, words> tile;
  const auto first = tile.first(me);
  tile.read(x, first, n);
  const auto [before, all] = sums_of_warps(tile.scan_warp(), part);
  if (gridDim.x > 1) {
    if (threadIdx.x < 32) {
      const bool leads = threadIdx.x == 0;
      T sum = 0;
      if (me > 0) {
        if (leads) atomicExch(&states[me].sum, to_bits(all));
        sum = look_back<T>(states, me);
      }
      if (leads) {
        atomicExch(&states[me].prefix, to_bits(sum + all));
        before_tile = sum;
      }
    }
    __syncthreads();
  }
  tile.write(y, first, n, before_tile + before);
}

template <int words, typename T>
void launch_look_back(Gpu& gpu, const Scan::Args<T>& p, std::int64_t block) {
  const auto tiles = ceil_div(p.n, block * TileOfBlock<T, words>::per_thread);
  State* states = nullptr;
  if (tiles > 1) {
    states = gpu.scratch<State>(tiles + 1);
    gpu.launch({.grid = {ceil_div(tiles + 1, 256)}, .block = {256}},
               scan_clear_states, states, tiles + 1);
  }
  gpu.launch({.grid = {tiles}, .block = {block}, .overlaps = tiles > 1},
             scan_look_back<T, words>, p.x, p.y, p.n, states);
}

// The words per thread, where threads with one word each have one_word elements
// together: as few as make one tile, which needs no second launch; or as few as
// make 32 tiles, whose states a warp sees in one look back.
std::int64_t words_for(std::int64_t n, std::int64_t one_word) {
  const auto least =
      std::bit_ceil(static_cast<std::uint64_t>(ceil_div(n, one_word)));
  if (least <= 8) return static_cast<std::int64_t>(least);
  return n <= 32 * 2 * one_word ? 2 : 4;
}

}  // namespace

const Register<Scan, int, float, double> variant(
    {
        .rung = 3,
        .idea = "one pass: each tile looks back for the sum of those before it "
                "(Merrill and Garland)",
        // words of 16 bytes per thread; 0: by size
        .tunables = {block_size(256, 32),
                     {.name = "words",
                      .fallback = 0,
                      .min = 1,
                      .max = 8,
                      .power_of_two = true}},
    },
    []<typename T>(Gpu& gpu, const Scan::Args<T>& p, const Tunables& tunables) {
      const auto block = tunables["block"];
      const auto words = tunables["words"];
      const auto one_word = block * Word<T>::count;
      switch (words > 0 ? words : words_for(p.n, one_word)) {
        case 1:
          return launch_look_back<1>(gpu, p, block);
        case 2:
          return launch_look_back<2>(gpu, p, block);
        case 4:
          return launch_look_back<4>(gpu, p, block);
        default:
          return launch_look_back<8>(gpu, p, block);
      }
    });
