// Gpu on a real device, with checked launches on one stream, scratch memory,
// and facts about kernels.
#pragma once

#include <map>
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
  // Makes the device current for this thread. CUDA calls go to the current
  // device, and there may be several.
  void select() const;
  // From now on scratch memory belongs to this call, until all of it is
  // released.
  void select_scratch(const std::string& call) { blocks_ = &scratch_[call]; }
  void release_scratch() {
    scratch_.clear();
    blocks_ = nullptr;
  }
  // From now on scratch memory can be used on other streams as soon as it is
  // made.
  void share_scratch() { shares_scratch_ = true; }
  // Bytes of device memory that are free or used for scratch. Variants use no
  // other memory.
  std::size_t bytes_left() const;
  // Cause::scratch_not_zero for the call selected last, or nothing.
  Detail scratch_damage() const;
  // Restores settings that a variant may have changed: limits of the device,
  // persisting lines in L2, and the access policy of the stream.
  void put_back() noexcept;
  // Shape, registers and theoretical occupancy of the main launch; all zero if
  // there was none.
  LaunchShape main_launch() const;
  // Whether its launches may begin before the previous one ends.
  bool can_overlap(const void* kernel) const;

 protected:
  void start(const LaunchConfig& config, const void* kernel,
             void** arguments) override;
  void* address_of_constant(const void* symbol) override;
  void* scratch_bytes(std::size_t bytes, bool zeroed) override;
  int occupancy(const void* kernel, int threads,
                std::size_t shared_bytes) override;

 private:
  void allow_shared(const void* kernel, std::size_t bytes);

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
  std::map<cudaLimit, std::size_t> limits_;  // their initial values
};

}  // namespace parlab
