// A team of emulated GPUs of any size, each with its own memory on one host.
//
// A transfer of the team is done at once and checked like a kernel's accesses:
// for memory of the wrong GPU, words that were never written, and writes to an
// input. Work in parallel with transfers runs before them, so if it reads data
// that they bring, that data was not written yet. Conflicts are thus found
// whichever comes first on a real machine.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "gpu/gpus.hpp"
#include "places/emulation/emulated_gpu.hpp"

namespace parlab {

class EmulatedGpus final : public Gpus {
 public:
  EmulatedGpus(int count, std::shared_ptr<EmulatedMachine> machine);

  int count() const override { return static_cast<int>(gpus_.size()); }
  EmulatedGpu& operator[](int i) override {
    return gpus_.at(static_cast<std::size_t>(i));
  }
  void exchange(const std::vector<Move>& moves) override;
  void beside(const std::function<void()>& transfers,
              const std::function<void()>& work) override;
  void run_host_code(const std::function<void()>& code) {
    emulation::run_host_code(code, machine_->arena);
  }
  Detail scratch_damage() const;
  LaunchShape launch_shape() const { return gpus_.front().launch_shape(); }

 protected:
  void sum_over_all(const std::vector<void*>& from,
                    const std::vector<void*>& to, std::int64_t elements,
                    Dtype dtype) override;
  void send_to_all(int root, const std::vector<void*>& data,
                   std::int64_t elements, Dtype dtype) override;

 private:
  std::vector<std::byte> take(const char* operation, int gpu, const void* from,
                              std::size_t bytes);
  void put(const char* operation, int gpu, void* to,
           const std::vector<std::byte>& bytes);
  emulation::Allocation& array_at(const char* operation, int gpu,
                                  const void* address, std::size_t bytes,
                                  bool writes);
  void require_everywhere(const char* operation,
                          const std::vector<void*>& data) const;
  bool touched_beside(const emulation::Stamp& access) const {
    return beside_ && access.instance >= *beside_;
  }

  std::shared_ptr<EmulatedMachine> machine_;
  std::deque<EmulatedGpu> gpus_;
  // the first block of the work beside these transfers
  std::optional<std::uint32_t> beside_;
};

}  // namespace parlab
