// Holds back the streams of one or several GPUs until the host has queued all
// work. The queued work then runs without waiting for the host. (The method of
// NVIDIA's nvbench.)
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "places/cuda/cuda_gpu.hpp"

namespace parlab {

// How long a team may take after its gate opens; then abandon() ends what can
// be ended. A single GPU has no limit.
struct Patience {
  std::function<void()> abandon = {};
  double limit_s = std::numeric_limits<double>::infinity();
};

class Gate {
 public:
  // The GPUs belong to the caller and must live longer.
  Gate(std::vector<CudaGpu*> gpus, Patience patience);

  // Holds back the streams while the object lives.
  class Closed {
   public:
    explicit Closed(Gate& gate) : gate_(gate) { gate_.close(); }
    // After an exception the gate is opened, too, so that nothing stays held
    // back.
    ~Closed() {
      if (open_) return;
      gate_.open();
      gate_.settle();
    }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;
    // Releases everything that was queued and waits for its end, like wait().
    void open_and_wait(const char* doing) {
      open_ = true;
      gate_.open();
      gate_.wait(doing);
    }

   private:
    Gate& gate_;
    bool open_ = false;
  };

  // Returns when the streams are idle. Throws PointError: timed_out when
  // patience has run out, launch_failed when even then some work could not be
  // ended. Also throws when the host waited for a device while the gate was
  // closed.
  void wait(const char* doing);

  // Queues a meeting on all GPUs: none continues before all have reached it.
  void meet();

  // Some work could not be ended. The devices are lost to this process, and any
  // wait for one of them never returns.
  bool hangs() const { return hangs_; }

 private:
  static constexpr int gpus_at_most = 16;
  // In host memory that every GPU reads and writes.
  struct Words {
    int open;                   // written by the host
    int timed_out;              // set by a GPU
    int arrived[gpus_at_most];  // number of meetings that each GPU has reached
  };
  void close();
  void hold();
  void open() { reinterpret_cast<volatile int&>(words_->open) = 1; }
  void settle() const;
  bool idle_within(double seconds) const;

  std::vector<CudaGpu*> gpus_;
  Patience patience_;
  std::unique_ptr<Words, CudaFreeHost> words_;
  int meetings_ = 0;
  bool hangs_ = false;
};

}  // namespace parlab
