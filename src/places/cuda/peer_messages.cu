#include "places/cuda/peer_messages.hpp"

#include <algorithm>
#include <utility>

#include "gpu/overlap.hpp"

namespace parlab {
namespace {

using Boxes = PeerMessages::Boxes;
using Parts = PeerMessages::Parts;

constexpr int message_threads = 256;
constexpr int looks_at_once = 4096;  // before asking the host again
constexpr std::size_t word_bytes = sizeof(std::uint32_t);

__device__ __forceinline__ void send(std::uint64_t* to, std::uint32_t word,
                                     std::uint32_t round) {
  *const_cast<volatile std::uint64_t*>(to) =
      std::uint64_t{round} << 32 | std::uint64_t{word};
}

// Waits for this round's word.
__device__ __forceinline__ std::uint32_t receive(const std::uint64_t* from,
                                                 std::uint32_t round,
                                                 volatile int* abandoned) {
  for (int looks = 1;; ++looks) {
    const auto got = *const_cast<const volatile std::uint64_t*>(from);
    if (got >> 32 == round) return static_cast<std::uint32_t>(got);
    if (looks % looks_at_once == 0 && *abandoned != 0) return 0;
  }
}

// A thread adds up one element. All GPUs add in the same order, so that all
// have the same bits.
template <typename T>
__global__ void __launch_bounds__(message_threads)
    add_over_peers(Boxes boxes, int me, std::uint32_t round, const T* from,
                   T* to, std::int64_t elements) {
  constexpr int words = sizeof(T) / word_bytes;
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  wait_for_launch_before();
  if (i >= elements) return;
  union Words {
    T value;
    std::uint32_t word[words];
  };
  Words mine;
  mine.value = from[i];
  for (int peer = 0; peer < boxes.gpus; ++peer) {
    if (peer == me) continue;
    for (int w = 0; w < words; ++w)
      send(boxes.at(peer, me, round) + i * words + w, mine.word[w], round);
  }
  T sum{};
  for (int peer = 0; peer < boxes.gpus; ++peer) {
    Words part = mine;
    for (int w = 0; w < words && peer != me; ++w) {
      part.word[w] = receive(boxes.at(me, peer, round) + i * words + w, round,
                             boxes.abandoned);
    }
    sum = peer == 0 ? part.value : sum + part.value;
  }
  to[i] = sum;
}

// The last word of a box is the greeting that each GPU sends to all others, for
// those that have no other message.
__global__ void __launch_bounds__(message_threads)
    pass_to_peers(Boxes boxes, int me, std::uint32_t round, Parts out,
                  Parts in) {
  const auto thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto threads = static_cast<int>(gridDim.x * blockDim.x);
  wait_for_launch_before();
  const bool greets = thread < boxes.gpus && thread != me;
  if (greets) send(boxes.at(thread, me, round) + Boxes::words, 0, round);
  for (int p = 0; p < out.count; ++p) {
    const auto& part = out.part[p];
    auto* const box = boxes.at(part.peer, me, round) + part.place;
    for (int i = thread; i < part.words; i += threads)
      send(box + i, part.memory[i], round);
  }
  for (int p = 0; p < in.count; ++p) {
    const auto& part = in.part[p];
    const auto* const box = boxes.at(me, part.peer, round) + part.place;
    for (int i = thread; i < part.words; i += threads)
      part.memory[i] = receive(box + i, round, boxes.abandoned);
  }
  if (greets)
    receive(boxes.at(me, thread, round) + Boxes::words, round, boxes.abandoned);
}

// Calls f.operator()<T>() with a type that adds like the dtype's; integers wrap
// around.
template <typename F>
void with_words_of(Dtype dtype, F f) {
  switch (dtype) {
    case Dtype::i32:
    case Dtype::u32:
      return f.template operator()<std::uint32_t>();
    case Dtype::f64:
      return f.template operator()<double>();
    default:
      return f.template operator()<float>();
  }
}

// Queues a kernel with a thread for each of so many words, up to words_of_sum
// threads. It may begin before the previous launch ends.
template <typename... Parameters, typename... Arguments>
void queue(CudaGpu& gpu, cudaStream_t stream, std::int64_t words,
           void (*kernel)(Parameters...), Arguments... arguments) {
  gpu.select();
  cudaLaunchConfig_t launch{};
  launch.gridDim = static_cast<unsigned>(
      std::clamp<std::int64_t>(ceil_div(words, message_threads), 1,
                               PeerMessages::words_of_sum / message_threads));
  launch.blockDim = static_cast<unsigned>(
      std::clamp<std::int64_t>(ceil_div(words, 32) * 32, 32, message_threads));
  launch.stream = stream;
  cudaLaunchAttribute overlaps{};
  overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlaps.val.programmaticStreamSerializationAllowed = 1;
  launch.attrs = &overlaps;
  launch.numAttrs =
      gpu.can_overlap(reinterpret_cast<const void*>(kernel)) ? 1 : 0;
  cuda_check(cudaLaunchKernelEx(&launch, kernel, arguments...),
             "sending messages to GPUs");
}

}  // namespace

bool PeerMessages::possible(const std::vector<int>& devices) {
  if (devices.size() > gpus_at_most) return false;
  for (const int from : devices) {
    for (const int to : devices) {
      int can = from == to ? 1 : 0;
      if (can == 0) cudaDeviceCanAccessPeer(&can, from, to);
      if (can == 0) return false;
    }
  }
  return true;
}

// Loads the kernels, because their first use does so and may wait for another
// GPU, whose kernel may wait for this one.
PeerMessages::PeerMessages(std::vector<CudaGpu*> gpus)
    : gpus_(std::move(gpus)), abandoned_(mapped_memory<int>()) {
  const std::size_t bytes =
      2 * gpus_.size() * (Boxes::words + 1) * sizeof(std::uint64_t);
  boxes_.gpus = static_cast<int>(gpus_.size());
  boxes_.abandoned = abandoned_.get();
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    gpus_[i]->select();
    memory_.push_back(device_memory(bytes, "messages between GPUs"));
    boxes_.of[i] = reinterpret_cast<std::uint64_t*>(memory_.back().get());
    cuda_check(cudaMemset(boxes_.of[i], 0, bytes), "clearing boxes");
    cudaFuncAttributes attributes;
    const auto load = [&](const void* kernel) {
      cuda_check(cudaFuncGetAttributes(&attributes, kernel), "loading kernels");
    };
    load(reinterpret_cast<const void*>(pass_to_peers));
    for (const auto dtype : {Dtype::i32, Dtype::f32, Dtype::f64}) {
      with_words_of(dtype, [&]<typename T>() {
        load(reinterpret_cast<const void*>(add_over_peers<T>));
      });
    }
    cuda_check(cudaDeviceSynchronize(), "clearing boxes");
  }
}

bool PeerMessages::carries(std::int64_t elements, Dtype dtype) const {
  const auto bytes = bytes_of(dtype);
  const bool added = dtype == Dtype::i32 || dtype == Dtype::u32 ||
                     dtype == Dtype::f32 || dtype == Dtype::f64;
  return added && elements * static_cast<std::int64_t>(bytes / word_bytes) <=
                      words_of_sum;
}

bool PeerMessages::carries(const std::vector<Gpus::Move>& moves) const {
  std::size_t bytes[gpus_at_most][gpus_at_most] = {};
  int sent[gpus_at_most] = {}, got[gpus_at_most] = {};
  for (const auto& move : moves) {
    const auto odd = reinterpret_cast<std::uintptr_t>(move.to) |
                     reinterpret_cast<std::uintptr_t>(move.from) | move.bytes;
    auto& all = bytes[move.source][move.target];
    all += move.bytes;
    if (odd % word_bytes != 0 || all > Boxes::words * word_bytes ||
        ++sent[move.source] > moves_at_most ||
        ++got[move.target] > moves_at_most || move.source == move.target)
      return false;
  }
  return true;
}

void PeerMessages::all_reduce(const std::vector<void*>& from,
                              const std::vector<void*>& to,
                              std::int64_t elements, Dtype dtype,
                              const std::vector<cudaStream_t>& streams) {
  *abandoned_ = 0;
  ++round_;
  with_words_of(dtype, [&]<typename T>() {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      queue(*gpus_[i], streams[i], elements, add_over_peers<T>, boxes_,
            static_cast<int>(i), round_, static_cast<const T*>(from[i]),
            static_cast<T*>(to[i]), elements);
    }
  });
}

void PeerMessages::exchange(const std::vector<Gpus::Move>& moves,
                            const std::vector<cudaStream_t>& streams) {
  *abandoned_ = 0;
  ++round_;
  Parts out[gpus_at_most] = {}, in[gpus_at_most] = {};
  int used[gpus_at_most][gpus_at_most] = {};
  std::int64_t most = 0;
  for (const auto& move : moves) {
    const auto words = static_cast<int>(move.bytes / word_bytes);
    int& place = used[move.source][move.target];
    const auto add = [&](Parts& parts, void* memory, int peer) {
      parts.part[parts.count++] = {static_cast<std::uint32_t*>(memory), peer,
                                   place, words};
    };
    add(out[move.source], const_cast<void*>(move.from), move.target);
    add(in[move.target], move.to, move.source);
    place += words;
    most = std::max<std::int64_t>(most, words);
  }
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    queue(*gpus_[i], streams[i], most, pass_to_peers, boxes_,
          static_cast<int>(i), round_, out[i], in[i]);
  }
}

}  // namespace parlab
