// Streams of an emulated GPU.
//
// Work is done when it is queued, in the order of the calls. For each word the
// emulation knows on which stream it was last touched. If a kernel or a copy on
// another stream touches it without having waited, that is found, whichever
// comes first on a real machine.
#pragma once

#include <deque>
#include <string>

#include "gpu/streams.hpp"
#include "places/emulation/emulated_gpu.hpp"

namespace parlab {

class EmulatedStreams final : public Streams {
 public:
  explicit EmulatedStreams(std::shared_ptr<EmulatedMachine> machine);

  EmulatedGpu& operator[](int i) override;
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

  std::shared_ptr<EmulatedMachine> machine_;
  emulation::StreamOrder order_;
  // Work on a stream comes after everything started on it before.
  std::deque<EmulatedGpu> streams_;
};

}  // namespace parlab
