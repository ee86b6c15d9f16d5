// Holds the streams of one or several GPUs back until the host has queued all
// it wants to: what is behind the gate then runs without a wait for the host.
// (The method of NVIDIA's nvbench.)
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "places/cuda/cuda_gpu.hpp"

namespace parlab {

// How long what is behind the gate of a team may take once it is open; then
// abandon() ends what can be ended. One GPU is waited for without a limit.
struct Patience {
  std::function<void()> abandon = {};
  double limit_s = std::numeric_limits<double>::infinity();
};

class Gate {
 public:
  // They belong to the caller, and live longer.
  Gate(std::vector<CudaGpu*> gpus, Patience patience);

  // The streams wait from here on, for as long as this lives.
  class Closed {
   public:
    explicit Closed(Gate& gate) : gate_(gate) { gate_.close(); }
    // Left early, by an exception: nothing stays behind.
    ~Closed() {
      if (open_) return;
      gate_.open();
      gate_.settle();
    }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;
    // Lets all go that was queued, and waits for its end, as wait() does.
    void open_and_wait(const char* doing) {
      open_ = true;
      gate_.open();
      gate_.wait(doing);
    }

   private:
    Gate& gate_;
    bool open_ = false;
  };

  // Returns when the streams are idle. Throws PointError, also when the host
  // waited for a device while the gate was closed: timed_out when patience is
  // at an end, launch_failed when even then something could not be ended.
  void wait(const char* doing);

  // Queued on all GPUs: none goes on before all have come to it.
  void meet();

  // Something runs there that could not be ended: the devices are lost to this
  // process, and whatever waits for one of them waits for good.
  bool hangs() const { return hangs_; }

 private:
  static constexpr int gpus_at_most = 16;
  // In host memory that every GPU reads and writes.
  struct Words {
    int open;                   // written by the host
    int timed_out;              // by a GPU
    int arrived[gpus_at_most];  // by each: how often it has come to a meeting
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
