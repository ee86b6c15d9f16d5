// A Gpu whose kernels are executed on the CPU and watched.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/gpu.hpp"
#include "emulation/memory.hpp"
#include "emulation/runtime.hpp"

namespace parlab {

class EmulatedGpu final : public Gpu {
 public:
  // The seed of the environment's PARLAB_SEED, or a fixed one: shuffles blocks and threads.
  EmulatedGpu();
  explicit EmulatedGpu(std::uint64_t seed, emulation::Order order = emulation::Order::shuffled);

  // Device memory with a name for messages; what the kernel may not write is read_only.
  emulation::Allocation& allocate(const std::string& name, std::size_t bytes, bool read_only);
  void free(emulation::Allocation& allocation) { arena_.free(allocation); }
  void free_scratch();
  // "zeroed scratch 1 is not zero": what a variant must leave as it found it; empty: it did.
  std::string scratch_damage() const;

  std::uint64_t seed() const { return seed_; }
  void set_order(std::uint64_t seed, emulation::Order order);
  void set_time_limit(double seconds) { time_limit_s_ = seconds; }  // of one launch

  // Few multiprocessors: a grid that fills the device is small, a cooperative one can be live.
  int multiprocessors() const override { return 4; }
  std::size_t max_shared_bytes() const override { return emulation::max_shared_bytes; }
  std::size_t l2_bytes() const override { return 50 << 20; }
  void copy(void* to, const void* from, std::size_t bytes) override;
  void clear(void* data, std::size_t bytes) override;
  void* stream() const override { return nullptr; }

 protected:
  void start(const LaunchConfig& config, const void* kernel, std::function<void()> thread) override;
  void* scratch_bytes(std::size_t bytes, bool zeroed) override;
  int occupancy(const void* kernel, int threads, std::size_t shared_bytes) override;

 private:
  struct Scratch {
    emulation::Allocation* memory;
    bool zeroed;
  };
  emulation::Allocation& checked(void* data, std::size_t bytes, const char* what);
  void execute(emulation::Launch& launch);

  std::uint64_t seed_;
  emulation::Order order_;
  double time_limit_s_ = 120;
  emulation::Arena arena_;
  std::vector<Scratch> scratch_;
  std::vector<std::unique_ptr<emulation::Worker>> workers_;
};

}  // namespace parlab
