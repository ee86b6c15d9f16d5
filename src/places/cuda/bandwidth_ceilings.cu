#include <algorithm>

#include "facts/cause.hpp"
#include "gpu/warpgroup.hpp"
#include "places/cuda/contest.hpp"
#include "places/cuda/device_ceilings.hpp"

namespace parlab {
namespace {

constexpr int block_threads = 512;
// 16-byte loads that a thread issues before it uses the first
constexpr int loads_in_flight = 8;
// All footprints are multiples of a tile and of the bytes that a block copies
// at once.
constexpr std::size_t smallest_footprint = std::size_t{256} << 10,
                      largest_footprint = std::size_t{4} << 30;
constexpr int tile_bytes = 16 << 10;

__global__ void empty_kernel() {}

// Reads everything once. The first `kept` words stay in the cache for the next
// pass and the others bypass it, so that a footprint larger than the cache does
// not evict itself completely. The sum only keeps the compiler from removing
// loads.
__global__ void __launch_bounds__(block_threads)
    read_all(const float4* data, std::size_t count, std::size_t kept,
             float* sink) {
  const std::size_t stride = std::size_t{gridDim.x} * block_threads;
  std::size_t i = blockIdx.x * std::size_t{block_threads} + threadIdx.x;
  float4 sum{};
  for (; i + (loads_in_flight - 1) * stride < count;
       i += loads_in_flight * stride) {
    float4 loaded[loads_in_flight];
    if (i < kept) {
      _Pragma("unroll")
      for (int k = 0; k < loads_in_flight; ++k)
        loaded[k] = data[i + k * stride];
    } else {
      _Pragma("unroll")
      for (int k = 0; k < loads_in_flight; ++k)
        loaded[k] = __ldcs(&data[i + k * stride]);
    }
    _Pragma("unroll")
    for (int k = 0; k < loads_in_flight; ++k) {
      sum.x += loaded[k].x, sum.y += loaded[k].y, sum.z += loaded[k].z,
          sum.w += loaded[k].w;
    }
  }
  for (; i < count; i += stride)
    sum.x += data[i].x + data[i].y + data[i].z + data[i].w;
  if (sum.x + sum.y + sum.z + sum.w == 1e30f) *sink = 1;
}

// Each block copies contiguous pieces, and blocks that run at the same time
// copy neighbouring ones. Memory handles that faster than distant streams.
template <int in_flight>
__global__ void copy_streaming(const float4* from, float4* to,
                               std::size_t count) {
  const std::size_t piece = std::size_t{in_flight} * blockDim.x;
  for (std::size_t first = blockIdx.x * piece; first < count;
       first += gridDim.x * piece) {
    const std::size_t i = first + threadIdx.x;
    float4 loaded[in_flight];
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k)
      loaded[k] = __ldcs(&from[i + k * blockDim.x]);
    _Pragma("unroll")
    for (int k = 0; k < in_flight; ++k)
      __stcs(&to[i + k * blockDim.x], loaded[k]);
  }
}

// A ring of tiles in shared memory. One thread keeps as many bulk copies in
// flight as there are stages.
template <int stages>
struct TileRing {
  unsigned char* tiles;
  Barrier* full;

  __device__ void init() {
    for (int s = 0; s < stages; ++s)
      init_barrier(full[s], 1);
    publish_barriers();
  }
  __device__ unsigned char* tile(int stage) {
    return tiles + stage * tile_bytes;
  }
  __device__ void ask(int stage, const unsigned char* from) {
    arrive_expecting(full[stage], tile_bytes);
    load_bytes(tile(stage), from, tile_bytes, full[stage]);
  }
};

// The data is not used; arriving in shared memory counts as being read.
template <int stages>
__global__ void read_bulk(const unsigned char* data, std::size_t count) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ Barrier full[stages];
  TileRing<stages> ring{shared, full};
  ring.init();
  std::size_t asked = blockIdx.x;
  for (int s = 0; s < stages && asked < count; ++s, asked += gridDim.x) {
    ring.ask(s, data + asked * tile_bytes);
  }
  Ring<stages> at;
  for (std::size_t tile = blockIdx.x; tile < count; tile += gridDim.x) {
    wait(full[at.stage], at.parity);
    if (asked < count) {
      ring.ask(at.stage, data + asked * tile_bytes);
      asked += gridDim.x;
    }
    at.advance();
  }
}

template <int stages>
__global__ void copy_bulk(const unsigned char* from, unsigned char* to,
                          std::size_t count) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ Barrier full[stages];
  TileRing<stages> ring{shared, full};
  ring.init();
  std::size_t asked = blockIdx.x;
  for (int s = 0; s < stages && asked < count; ++s, asked += gridDim.x) {
    ring.ask(s, from + asked * tile_bytes);
  }
  Ring<stages> at;
  for (std::size_t tile = blockIdx.x; tile < count; tile += gridDim.x) {
    wait(full[at.stage], at.parity);
    store_bytes(to + tile * tile_bytes, ring.tile(at.stage), tile_bytes);
    // The previous tile has left its stage once all stores but the last have
    // read their data.
    if (tile != blockIdx.x && asked < count) {
      wait_for_stores_to_read<1>();
      ring.ask((at.stage + stages - 1) % stages, from + asked * tile_bytes);
      asked += gridDim.x;
    }
    at.advance();
  }
  wait_for_stores();
}

// The buffers that the kernels work on.
struct Memory {
  unsigned char *data, *sink;
  std::size_t bytes;
  std::int64_t multiprocessors;
  std::size_t l2_bytes;
  cudaStream_t stream;
  bool has_bulk_copies;
};

template <int stages, typename Kernel, typename... Arguments>
void enter_bulk(Contest& contest, const Memory& memory, Kernel kernel,
                Arguments... arguments) {
  constexpr int shared = stages * tile_bytes;
  cuda_check(
      cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                           cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
      "asking for shared memory");
  for (const std::int64_t blocks : {1, 2, 3}) {
    contest.enter(
        "bulk, " + std::to_string(stages) + " tiles of 16 KB", [=, &memory] {
          kernel<<<static_cast<unsigned>(blocks * memory.multiprocessors), 1,
                   shared, memory.stream>>>(arguments...);
        });
  }
}

void enter_reads(Contest& contest, const Memory& memory) {
  const auto* data = reinterpret_cast<const float4*>(memory.data);
  auto* sink = reinterpret_cast<float*>(memory.sink);
  const std::size_t count = memory.bytes / sizeof(float4);
  const auto one_pass = ceil_div(static_cast<std::int64_t>(count),
                                 block_threads * loads_in_flight);
  const std::int64_t sms = memory.multiprocessors;
  for (const std::int64_t wanted : {sms, 2 * sms, 4 * sms, 8 * sms, one_pass}) {
    // A small footprint has no work for more blocks than one 16-byte load per
    // thread needs.
    const auto blocks = static_cast<unsigned>(
        std::min(wanted, std::int64_t{loads_in_flight} * one_pass));
    for (const std::size_t kept :
         {std::size_t{0}, memory.l2_bytes / 3 / sizeof(float4), count}) {
      contest.enter("16-byte loads", [=, &memory] {
        read_all<<<blocks, block_threads, 0, memory.stream>>>(data, count, kept,
                                                              sink);
      });
    }
  }
  if (!memory.has_bulk_copies) return;
  const std::size_t tiles = memory.bytes / tile_bytes;
  enter_bulk<4>(contest, memory, read_bulk<4>, memory.data, tiles);
  enter_bulk<12>(contest, memory, read_bulk<12>, memory.data, tiles);
}

template <int in_flight>
void enter_streaming(Contest& contest, const Memory& memory) {
  const std::size_t half = memory.bytes / 2, count = half / sizeof(float4);
  const auto* from = reinterpret_cast<const float4*>(memory.data);
  auto* to = reinterpret_cast<float4*>(memory.data + half);
  for (const int threads : {256, 512, 1024}) {
    const auto one_pass =
        static_cast<std::int64_t>(count) / (in_flight * threads);
    for (const auto blocks :
         {one_pass, std::min(one_pass, 4 * memory.multiprocessors)}) {
      contest.enter(
          "16-byte streaming, " + std::to_string(in_flight) + " in flight",
          [=, &memory] {
            copy_streaming<in_flight>
                <<<static_cast<unsigned>(blocks), threads, 0, memory.stream>>>(
                    from, to, count);
          });
    }
  }
}

void enter_copies(Contest& contest, const Memory& memory) {
  const std::size_t half = memory.bytes / 2;
  contest.enter("the runtime's copy", [half, &memory] {
    cudaMemcpyAsync(memory.data + half, memory.data, half,
                    cudaMemcpyDeviceToDevice, memory.stream);
  });
  enter_streaming<1>(contest, memory);
  enter_streaming<2>(contest, memory);
  enter_streaming<4>(contest, memory);
  if (!memory.has_bulk_copies) return;
  const std::size_t tiles = half / tile_bytes;
  unsigned char *from = memory.data, *to = memory.data + half;
  enter_bulk<4>(contest, memory, copy_bulk<4>, from, to, tiles);
  enter_bulk<12>(contest, memory, copy_bulk<12>, from, to, tiles);
}

}  // namespace

bool has_warpgroups() {
  try {
    refuse_without_warpgroups();
    return true;
  } catch (const PointError&) {
    return false;
  }
}

void measure_bandwidth(Ceilings& ceilings, CudaGpu& gpu, GpuTimer& timer,
                       const WantedCeilings& wanted) {
  Contest empty(timer, wanted.all());
  empty.enter("an empty kernel",
              [&] { empty_kernel<<<1, 32, 0, gpu.cuda_stream()>>>(); });
  ceilings.launch_s = empty.seconds();

  std::size_t free = 0, total = 0;
  cuda_check(cudaMemGetInfo(&free, &total), "asking for free memory");
  std::vector<std::size_t> footprints;
  for (std::size_t bytes = smallest_footprint;
       bytes <= std::min(largest_footprint, free / 4); bytes *= 2) {
    if (wanted.footprint(static_cast<double>(bytes)))
      footprints.push_back(bytes);
  }
  // the problem is smaller, or larger, than all of them
  if (footprints.empty()) {
    const bool smaller =
        wanted.most_bytes < static_cast<double>(smallest_footprint);
    footprints.push_back(smaller ? smallest_footprint
                                 : std::min(largest_footprint, free / 4));
  }
  const auto memory =
      device_memory(footprints.back(), "measuring the bandwidth");
  const auto sink = device_memory(16, "measuring the bandwidth");
  cuda_check(cudaMemset(memory.get(), 0, footprints.back()),
             "measuring the bandwidth");
  for (const std::size_t bytes : footprints) {
    const Memory work{.data = memory.get(),
                      .sink = sink.get(),
                      .bytes = bytes,
                      .multiprocessors = gpu.multiprocessors(),
                      .l2_bytes = gpu.l2_bytes(),
                      .stream = gpu.cuda_stream(),
                      .has_bulk_copies = has_warpgroups()};
    Contest read(timer, wanted.all()), copy(timer, wanted.all());
    enter_reads(read, work);
    enter_copies(copy, work);
    const auto footprint = static_cast<double>(bytes);
    ceilings.read.emplace_back(footprint, footprint / read.seconds());
    ceilings.copy.emplace_back(footprint, footprint / copy.seconds());
    ceilings.ways[curve_point("read", footprint)] = read.way();
    ceilings.ways[curve_point("copy", footprint)] = copy.way();
  }
}

}  // namespace parlab
