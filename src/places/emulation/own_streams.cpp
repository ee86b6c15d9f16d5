#include "places/emulation/own_streams.hpp"

#include <algorithm>
#include <atomic>

namespace parlab::emulation {
namespace {

// Numbers in StreamOrder: the program's streams from 0 on, in the order of
// their first use. The default stream, the host and events have negative ones.
constexpr int default_stream = -1, host = -2;

int number_of_event(OwnStreams::Handle event) {
  return host - static_cast<int>(event / 2);
}

bool is_blocking(OwnStreams::Handle stream) {
  return stream % 2 == 0;
}

}  // namespace

OwnStreams::Handle OwnStreams::make(bool non_blocking) {
  static std::atomic<Handle> made = 0;
  return 2 * ++made + (non_blocking ? 1 : 0);
}

int OwnStreams::number_of(Handle stream) {
  if (stream == 0) return default_stream;
  auto at = std::ranges::find(used_, stream);
  if (at == used_.end()) at = used_.insert(at, stream);
  return static_cast<int>(at - used_.begin());
}

int OwnStreams::begin(Handle stream) {
  const int i = number_of(stream);
  if (i == default_stream) {
    for (const auto other : used_)
      if (is_blocking(other)) wait(i, number_of(other));
  } else if (is_blocking(stream)) {
    wait(i, default_stream);
  }
  wait(i, host);
  order_.started(next_instance_, i);
  return i;
}

void OwnStreams::record(Handle event, Handle stream) {
  const int i = begin(stream);
  order_.forget(number_of_event(event));
  wait(number_of_event(event), i);
}

void OwnStreams::wait(Handle stream, Handle event) {
  wait(number_of(stream), number_of_event(event));
}

void OwnStreams::host_waits_for_stream(Handle stream) {
  wait(host, begin(stream));
}

void OwnStreams::host_waits_for_event(Handle event) {
  wait(host, number_of_event(event));
}

void OwnStreams::host_waits_for_all() {
  wait(host, default_stream);
  for (const auto stream : used_)
    wait(host, number_of(stream));
}

}  // namespace parlab::emulation
