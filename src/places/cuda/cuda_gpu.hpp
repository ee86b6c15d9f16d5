// Gpu on a real device: checked launches on one stream, scratch
// memory, facts about kernels.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "places/cuda/cuda_resources.hpp"
#include "places/launching_gpu.hpp"
#include "record/record.hpp"

namespace parlab {

class CudaGpu final : public LaunchingGpu {
 public:
  explicit CudaGpu(int device);

  int multiprocessors() const override {
    return properties_.multiProcessorCount;
  }
  std::size_t max_shared_bytes() const override {
    return properties_.sharedMemPerBlockOptin;
  }
  std::size_t l2_bytes() const override { return properties_.l2CacheSize; }
  void copy(void* to, const void* from, std::size_t bytes) override;
  void clear(void* data, std::size_t bytes) override;
  void* stream() const override { return stream_.handle; }

  cudaStream_t cuda_stream() const { return stream_.handle; }
  int device() const { return device_; }
  // Calls of CUDA go to the current device of the thread,
  // and there may be several.
  void select() const;
  // Scratch memory belongs to the call selected here, until
  // all of it is released.
  void select_scratch(const std::string& call) { blocks_ = &scratch_[call]; }
  void release_scratch() {
    scratch_.clear();
    blocks_ = nullptr;
  }
  // Scratch memory is ready for other streams, too, as soon as it was made.
  void share_scratch() { shares_scratch_ = true; }
  // Of the device's memory: free, or taken for scratch. A variant takes no
  // other.
  std::size_t bytes_left() const;
  // Cause::scratch_not_zero, of the call selected last.
  Detail scratch_damage() const;
  // What a variant may have set for itself is as it was: limits of the device,
  // lines of L2 that persist, the access policy of the stream.
  void put_back() noexcept;
  // Shape, registers and theoretical occupancy of the main launch; all
  // zero when there was none.
  LaunchShape main_launch() const;

 protected:
  void start(const LaunchConfig& config, const void* kernel,
             void** arguments) override;
  void* address_of_constant(const void* symbol) override;
  void* scratch_bytes(std::size_t bytes, bool zeroed) override;
  int occupancy(const void* kernel, int threads,
                std::size_t shared_bytes) override;

 private:
  void allow_shared(const void* kernel, std::size_t bytes);
  bool can_overlap(const void* kernel) const;

  int device_;
  cudaDeviceProp properties_{};
  CudaStream stream_;
  struct Scratch {
    DeviceMemory memory;
    std::size_t bytes;
    bool zeroed;
  };
  std::map<std::string, std::vector<Scratch>> scratch_;
  std::vector<Scratch>* blocks_ = nullptr;
  bool shares_scratch_ = false;
  std::map<cudaLimit, std::size_t> limits_;  // as they were found
};

}  // namespace parlab
