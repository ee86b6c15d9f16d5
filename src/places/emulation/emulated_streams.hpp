// Streams of an emulated GPU.
//
// Work is done when it is queued, in the order of the calls. For each word the
// emulation knows on which stream it was last touched. If a kernel or a copy on
// another stream touches it without having waited, that is found, whichever
// comes first on a real machine.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "gpu/streams.hpp"
#include "places/emulation/emulated_gpu.hpp"

namespace parlab {

// Records which work was started on which stream, and which streams have waited
// for which.
class StreamOrder {
 public:
  explicit StreamOrder(std::uint32_t first_instance) : begin_(first_instance) {}
  // From here on instances belong to stream i, until the next call.
  void started(std::uint32_t first_instance, int i) {
    starts_[first_instance] = i;
  }
  void wait(int i, int other, std::uint32_t next_instance);
  bool comes_before(std::uint32_t instance, int i) const;
  int stream_of(std::uint32_t instance) const;

 private:
  std::uint32_t begin_;
  std::map<std::uint32_t, int> starts_;  // stream by first instance
  // for each stream: up to which instance it has waited for each other one
  std::map<int, std::map<int, std::uint32_t>> waited_;
};

// One stream. Work on it comes after everything started on it before.
class EmulatedStream final : private emulation::Ordering, public EmulatedGpu {
 public:
  EmulatedStream(StreamOrder& streams, int i, std::uint64_t seed,
                 emulation::Order order,
                 std::shared_ptr<EmulatedMachine> machine);
  bool comes_before(std::uint32_t instance) const override {
    return streams_.comes_before(instance, i_);
  }
  std::string stream_of(std::uint32_t instance) const override {
    return "stream " + std::to_string(streams_.stream_of(instance));
  }

 protected:
  void start(const LaunchConfig& config, const void* kernel,
             std::function<void()> thread,
             std::span<const std::byte> arguments) override;

 private:
  StreamOrder& streams_;
  int i_;
  std::shared_ptr<EmulatedMachine> machine_;
};

class EmulatedStreams final : public Streams {
 public:
  explicit EmulatedStreams(std::uint64_t seed = emulation_seed(),
                           emulation::Order order = emulation::Order::shuffled,
                           std::shared_ptr<EmulatedMachine> machine =
                               std::make_shared<EmulatedMachine>());

  EmulatedStream& operator[](int i) override;
  void wait(int i, int other) override;

  void run_host_code(const std::function<void()>& code) {
    emulation::run_host_code(code, machine_->arena);
  }
  Detail scratch_damage() const;
  // for the last launch on the last of the streams
  LaunchShape launch_shape() const;

 protected:
  void queue_to_device(int i, const Rows& rows) override {
    copy("to_device()", i, rows, true);
  }
  void queue_to_host(int i, const Rows& rows) override {
    copy("to_host()", i, rows, false);
  }

 private:
  void copy(const std::string& operation, int i, const Rows& rows,
            bool to_device);
  emulation::Allocation& array_at(const std::string& does, const void* address,
                                  std::size_t bytes, bool on_host);

  std::uint64_t seed_;
  emulation::Order order_;
  std::shared_ptr<EmulatedMachine> machine_;
  StreamOrder ordered_;
  std::deque<EmulatedStream> streams_;
};

}  // namespace parlab
