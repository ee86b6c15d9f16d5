// A Gpu whose kernels are executed on the CPU and watched.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "places/counted.hpp"
#include "places/emulation/block.hpp"
#include "places/emulation/own_streams.hpp"
#include "places/launching_gpu.hpp"
#include "record/record.hpp"

namespace parlab {

// State shared by the emulated GPUs of one machine: the order of blocks and
// threads, their addresses, the count of all blocks that ever ran there, and
// the OS threads that run them.
struct EmulatedMachine {
  // By default it shuffles with PARLAB_SEED from the environment, or with 1.
  EmulatedMachine();
  explicit EmulatedMachine(
      std::uint64_t with_seed,
      emulation::Order in_order = emulation::Order::shuffled)
      : seed(with_seed), order(in_order) {}

  std::uint64_t seed;
  emulation::Order order;
  emulation::Arena arena;
  std::uint32_t instances = 1;           // number of the next block
  std::deque<emulation::Block> workers;  // one per OS thread
  // for one launch, and for one with very many threads
  std::chrono::milliseconds time_limit{60000}, at_most{1'000'000'000};
  GpuShape shape = {};
  // set while kernels' accesses are counted
  std::unique_ptr<emulation::SharedCounts> counts = {};
};

class EmulatedGpu : public LaunchingGpu {
 public:
  // owner: prefix for messages if there are several: "GPU 1's ", "stream 0's ".
  // streams: set if it stands for one of the streams of a GPU.
  explicit EmulatedGpu(std::shared_ptr<EmulatedMachine> machine, int device = 0,
                       std::string owner = {},
                       emulation::StreamOrder* streams = nullptr,
                       int stream = 0)
      : machine_(std::move(machine)),
        device_(device),
        owner_(std::move(owner)),
        streams_(streams),
        stream_(stream) {}

  // Device memory with a name for messages; kernels may not write to inputs.
  emulation::Memory allocate(const std::string& name, std::size_t bytes,
                             emulation::Kind kind) {
    return machine_->arena.allocate(owner_ + name, bytes, kind, device_);
  }
  Detail scratch_damage() const;  // Cause::scratch_not_zero
  // The shape of the last launch; emulation has no registers.
  LaunchShape launch_shape() const;
  void run_host_code(const std::function<void()>& code);
  // The GPU whose host code this OS thread runs, or nullptr.
  static EmulatedGpu* at_work();

  // ---- what a program asks of CUDA's runtime: runtime.hpp
  void* own_memory(const std::string& name, std::size_t bytes, bool managed);
  // false if it is not such memory, or was freed
  bool free_own_memory(void* memory);
  emulation::Allocation* array_of(const void* address) const {
    return machine_->arena.owner(address);
  }
  void fill(void* data, int value, std::size_t bytes);
  void allow_much_shared_memory() { much_shared_memory_ = true; }
  // Set from begin_streams() on, after which streams order the program's work.
  std::optional<emulation::OwnStreams>& own_streams() { return own_streams_; }
  void begin_streams() {
    if (!own_streams_) own_streams_.emplace(machine_->instances);
  }
  // Returns the stream of the work so far.
  emulation::OwnStreams::Handle work_on(emulation::OwnStreams::Handle stream) {
    if (stream != 0) begin_streams();
    return std::exchange(own_stream_, stream);
  }
  void launch_own(const LaunchConfig& config, const void* kernel,
                  const std::function<void()>& thread,
                  std::span<const std::byte> arguments);

  int multiprocessors() const override {
    return machine_->shape.multiprocessors;
  }
  std::size_t max_shared_bytes() const override {
    return emulation::max_shared_bytes;
  }
  std::size_t l2_bytes() const override { return machine_->shape.l2_bytes; }
  void copy(void* to, const void* from, std::size_t bytes) override;
  void clear(void* data, std::size_t bytes) override { fill(data, 0, bytes); }
  void* stream() const override { return nullptr; }

 protected:
  void start(const LaunchConfig& config, const void* kernel,
             std::function<void()> thread,
             std::span<const std::byte> arguments) override;
  void write_constant(void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes);
  }
  void* scratch_bytes(std::size_t bytes, bool zeroed) override;
  int occupancy(const void*, int threads, std::size_t shared_bytes) override;

 private:
  std::shared_ptr<EmulatedMachine> machine_;
  int device_;
  std::string owner_;
  emulation::StreamOrder* streams_;
  int stream_;
  std::optional<emulation::OwnStreams> own_streams_{};
  emulation::OwnStreams::Handle own_stream_ = 0;
  bool much_shared_memory_ = false;
  // destroyed before the machine; own_ belongs to the program
  std::vector<emulation::Memory> scratch_, own_;
};

}  // namespace parlab
