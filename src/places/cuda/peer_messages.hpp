// Short messages between the GPUs of a team, by stores into each other's memory
// from inside a kernel. A message of a few words takes as long as one store
// needs to arrive. Copies and NCCL's kernels take five times as long, because
// they also wait for events, or for each other's steps.
//
// Each word travels in one store of 8 bytes together with the number of its
// round, and the receiver waits for that number. So no fence and no second
// store says that the word has arrived. (NCCL's protocol LL: Hu et al.,
// Demystifying NCCL, 2025.)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/gpus.hpp"
#include "places/cuda/cuda_gpu.hpp"

namespace parlab {

class PeerMessages {
 public:
  // Whether these devices can write each other's memory, and are few enough.
  static bool possible(const std::vector<int>& devices);

  // The GPUs belong to the caller and must live longer.
  explicit PeerMessages(std::vector<CudaGpu*> gpus);

  // Whether messages of this kind are short enough, and made of whole words.
  bool carries(std::int64_t elements, Dtype dtype) const;
  bool carries(const std::vector<Gpus::Move>& moves) const;

  // As Gpus::all_reduce() and Gpus::exchange(). One entry per GPU; queued on
  // the streams, one kernel on each.
  void all_reduce(const std::vector<void*>& from, const std::vector<void*>& to,
                  std::int64_t elements, Dtype dtype,
                  const std::vector<cudaStream_t>& streams);
  void exchange(const std::vector<Gpus::Move>& moves,
                const std::vector<cudaStream_t>& streams);

  // Kernels that wait for a message give up. The next message ends this.
  void abandon() { *abandoned_ = 1; }

  static constexpr int gpus_at_most = 8, moves_at_most = 8;
  // of four bytes; the most in a sum: each GPU sends them to all others
  static constexpr int words_of_sum = 1 << 14;

  // Where words wait to be read. A GPU has one box for each sender and each of
  // two rounds: a sender that has ended a round has heard from all others in
  // it, so they have read what it sent in the round before.
  struct Boxes {
    std::uint64_t* of[gpus_at_most];  // on each GPU
    int gpus;
    volatile int* abandoned;

    static constexpr int words = 1 << 16;  // of one sender in one round
    __host__ __device__ std::uint64_t* at(int receiver, int sender,
                                          std::uint32_t round) const {
      return of[receiver] +
             (static_cast<int>(round % 2) * gpus + sender) * (words + 1);
    }
  };

  // A part of a message: words that go to or come from a peer, and their place
  // in the box.
  struct Part {
    std::uint32_t* memory;
    int peer, place, words;
  };
  struct Parts {
    Part part[moves_at_most];
    int count;
  };

 private:
  std::vector<CudaGpu*> gpus_;
  std::vector<DeviceMemory> memory_;
  std::unique_ptr<int, CudaFreeHost> abandoned_;
  Boxes boxes_{};
  std::uint32_t round_ = 0;
};

}  // namespace parlab
