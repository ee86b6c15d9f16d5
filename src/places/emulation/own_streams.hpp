// Streams and events that a program makes itself, and how they order its work.
// Source: NVIDIA, CUDA C++ Programming Guide, sections on streams, events and
// the default stream (the legacy one, as nvcc compiles).
#pragma once

#include <cstdint>
#include <vector>

#include "places/emulation/block.hpp"

namespace parlab::emulation {

// The streams and events of one execution. A stream that is older counts from
// its first use.
class OwnStreams {
 public:
  // A cudaStream_t or cudaEvent_t as a number; 0: the default stream. Streams
  // that do not wait for the default stream have odd ones.
  using Handle = std::uintptr_t;
  static Handle make(bool non_blocking = false);

  // next_instance: the machine's, which counts on.
  explicit OwnStreams(const std::uint32_t& next_instance)
      : next_instance_(next_instance), order_(next_instance) {}

  // Work on the stream starts. Returns the stream's number in order().
  int begin(Handle stream);
  void record(Handle event, Handle stream);
  void wait(Handle stream, Handle event);
  void host_waits_for_stream(Handle stream);
  void host_waits_for_event(Handle event);
  void host_waits_for_all();

  const StreamOrder& order() const { return order_; }

 private:
  int number_of(Handle stream);
  // for numbers in order_
  void wait(int of, int other) { order_.wait(of, other, next_instance_); }

  const std::uint32_t& next_instance_;
  StreamOrder order_;
  std::vector<Handle> used_;  // in the order of their numbers
};

}  // namespace parlab::emulation
