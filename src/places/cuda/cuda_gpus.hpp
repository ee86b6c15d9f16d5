// A team of real GPUs: collectives by NCCL, everything else by copies
// from memory to memory.
#pragma once

#include <memory>
#include <vector>

#include "gpu/gpus.hpp"
#include "places/cuda/cuda_gpu.hpp"
#include "places/cuda/nccl.hpp"

namespace parlab {

class CudaGpus final : public Gpus {
 public:
  // They belong to the caller, and live longer.
  explicit CudaGpus(std::vector<CudaGpu*> gpus);

  int count() const override { return static_cast<int>(members_.size()); }
  CudaGpu& operator[](int i) override;  // its device becomes the current one
  void exchange(const std::vector<Move>& moves) override;
  void beside(const std::function<void()>& transfers,
              const std::function<void()>& work) override;

  // Ends the collectives under way. The next one starts NCCL anew.
  void abandon();

  // How much transfers have queued since the last call, on the GPU with most
  // of it: what is held back must fit in the queue of a stream.
  int take_queued();

  // Between the two calls, transfers are watched. seconds: how long each GPU
  // was in them, the most of all; the work is done by then.
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
    CudaStream beside;  // made on its device, as the events are
    CudaEvent ready, moved;
    // One before and one behind each transfer. Made before any work is held
    // back: to make an event can mean to wait for the device.
    std::vector<CudaEvent> events;
    std::size_t noted = 0;
    int queued = 0;
  };
  cudaStream_t stream_of(const Member& member) const {
    return beside_ ? member.beside.handle : member.gpu->cuda_stream();
  }
  std::vector<cudaStream_t> streams() const;
  Nccl& nccl();
  void wait_for(Member& member, cudaStream_t stream, const CudaEvent& event);
  void record(Member& member, cudaStream_t stream, const CudaEvent& event);
  void watch(Member& member);
  template <typename F>
  void watched(F transfer);

  std::vector<std::unique_ptr<Member>> members_;
  std::unique_ptr<Nccl> nccl_;
  bool beside_ = false, watching_ = false;
};

// The GPUs can read and write each other's memory directly where
// their links allow it, which copies then use. For all pairs of these
// devices; once is enough.
void enable_peer_access(const std::vector<int>& devices);

}  // namespace parlab
