// Streams of a real device, for variants whose arrays are in host memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/streams.hpp"
#include "places/cuda/cuda_gpu.hpp"

namespace parlab {

class CudaStreams final : public Streams {
 public:
  // gpu: its stream is the one on which executions are queued and timed; it is
  // not among those made here.
  explicit CudaStreams(CudaGpu& gpu) : gpu_(gpu) {}

  Gpu& operator[](int i) override { return *stream(i).gpu; }
  void wait(int i, int other) override;

  // Called around each execution. First our streams wait for the work queued on
  // the gpu's stream. Afterwards, later work there waits for all of them.
  void begin();
  void end();
  // Entries that the last execution queued besides its launches, on all streams
  // together.
  int queued() const { return queued_; }

  // Like those of CudaGpu, for all streams.
  void select_scratch(const std::string& call);
  void release_scratch();
  Detail scratch_damage() const;
  void put_back() noexcept;
  // The largest of the streams' main launches, with the number of launches of
  // all streams.
  LaunchShape main_launch() const;

 protected:
  void queue_to_device(int i, const Rows& rows) override {
    queue(i, rows, cudaMemcpyHostToDevice, "copying to the device");
  }
  void queue_to_host(int i, const Rows& rows) override {
    queue(i, rows, cudaMemcpyDeviceToHost, "copying to the host");
  }

 private:
  struct Stream {
    std::unique_ptr<CudaGpu> gpu;
    CudaEvent reached;
    bool used = false;  // in this execution
  };
  Stream& stream(int i);
  void queue(int i, const Rows& rows, cudaMemcpyKind kind, const char* what);

  CudaGpu& gpu_;
  CudaEvent begins_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::string call_;
  int queued_ = 0;
};

}  // namespace parlab
