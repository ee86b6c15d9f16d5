// A team of real GPUs. Short messages are stores into each other's memory.
// Other collectives use NCCL; everything else uses copies from memory to
// memory.
#pragma once

#include <memory>
#include <vector>

#include "gpu/gpus.hpp"
#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/nccl.hpp"
#include "places/cuda/peer_messages.hpp"

namespace parlab {

class CudaGpus final : public Gpus {
 public:
  // The GPUs belong to the caller and must live longer.
  explicit CudaGpus(std::vector<CudaGpu*> gpus);

  int count() const override { return static_cast<int>(members_.size()); }
  CudaGpu& operator[](int i) override;  // makes its device current
  void exchange(const std::vector<Move>& moves) override;
  void beside(const std::function<void()>& transfers,
              const std::function<void()>& work) override;

  // Aborts the running collectives and messages. The next one starts NCCL
  // again.
  void abandon();

  // Number of entries that transfers have queued since the last call, on the
  // GPU with most of them. Work that is held back must fit in the queue of a
  // stream.
  int take_queued();

  // Between the two calls, transfers are timed. end_watch returns the seconds
  // that the busiest GPU spent in them; all work is done by then.
  void begin_watch();
  double end_watch();

 protected:
  void sum_over_all(const std::vector<void*>& from,
                    const std::vector<void*>& to, std::int64_t elements,
                    Dtype dtype) override;
  void send_to_all(int root, const std::vector<void*>& data,
                   std::int64_t elements, Dtype dtype) override;

 private:
  struct Member {
    explicit Member(CudaGpu& own) : gpu(&own) {}
    CudaGpu* gpu;
    CudaStream beside;  // made on its device, like the events
    CudaEvent ready, moved;
    // One before and one after each transfer. They are made before any work is
    // held back, because making an event may wait for the device.
    std::vector<CudaEvent> events;
    std::size_t noted = 0;
    int queued = 0;
  };
  cudaStream_t stream_of(const Member& member) const {
    return beside_ ? member.beside.handle : member.gpu->cuda_stream();
  }
  std::vector<cudaStream_t> streams() const;
  std::vector<int> devices() const;
  Nccl& nccl();
  // nullptr where GPUs cannot write each other's memory.
  PeerMessages* messages();
  void wait_for(Member& member, cudaStream_t stream, const CudaEvent& event);
  void record(Member& member, cudaStream_t stream, const CudaEvent& event);
  void watch(Member& member);
  template <typename F>
  void watched(F transfer);

  std::vector<std::unique_ptr<Member>> members_;
  std::unique_ptr<Nccl> nccl_;
  std::unique_ptr<PeerMessages> messages_;
  bool beside_ = false, watching_ = false;
};

// Lets copies read and write other GPUs' memory directly, for all pairs of
// these devices whose links allow it. Calling it once is enough.
void enable_peer_access(const std::vector<int>& devices);

}  // namespace parlab
