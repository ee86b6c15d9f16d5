// Holds a stream back until the host has queued all it wants to:
// what is behind the gate then runs without a wait for the host. (The
// method of NVIDIA's nvbench.)
#pragma once

#include "places/cuda/cuda_resources.hpp"

namespace parlab {

class Gate {
 public:
  explicit Gate(cudaStream_t stream)
      : stream_(stream), words_(mapped_memory<Words>()) {}

  // The stream waits from here on, for as long as this lives.
  class Closed {
   public:
    explicit Closed(Gate& gate) : gate_(gate) { gate_.close(); }
    // Left early, by an exception: nothing stays behind.
    ~Closed() {
      if (!open_) {
        gate_.open();
        cudaStreamSynchronize(gate_.stream_);
      }
    }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;
    // Lets all go that was queued, and waits for its end. Throws PointError:
    // also when the host waited for the device while the gate was closed.
    void open_and_wait(const char* doing) {
      open_ = true;
      gate_.open_and_wait(doing);
    }

   private:
    Gate& gate_;
    bool open_ = false;
  };

 private:
  struct Words {
    int open;       // written by the host
    int timed_out;  // written by the device
  };
  void close();
  void open() { reinterpret_cast<volatile int&>(words_->open) = 1; }
  void open_and_wait(const char* doing);

  cudaStream_t stream_;
  std::unique_ptr<Words, CudaFreeHost> words_;
};

}  // namespace parlab
