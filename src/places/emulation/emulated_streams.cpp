#include "places/emulation/emulated_streams.hpp"
#include "facts/cause.hpp"

#include <algorithm>
#include <cstring>

namespace parlab {

using namespace emulation;

namespace {

// Checks and records a copy's accesses to the words of one array.
struct Copy {
  const std::string& operation;
  const StreamOrder& order;
  int stream;
  Stamp mine;

  void read(Allocation& array, const void* from, std::size_t bytes) const {
    each_whole_word(array, from, bytes, [&](Cell& cell, const std::byte* word) {
      if (cell.writer == Stamp{}) {
        throw PointError(Verdict::wrong_result, Cause::never_written,
                         operation + " reads", array.element(word, word_bytes));
      }
      require_order(" reads", cell.writer, "wrote", array, word);
      auto& slot = order.comes_before(cell.readers[0].instance, stream)
                       ? cell.readers[0]
                       : cell.readers[1];
      slot = mine;
    });
  }
  void write(Allocation& array, const void* to, std::size_t bytes) const {
    each_whole_word(array, to, bytes, [&](Cell& cell, const std::byte* word) {
      require_order(" writes", cell.writer, "wrote", array, word);
      for (const Stamp& reader : cell.readers)
        require_order(" writes", reader, "read", array, word);
    });
    array.settle(to, bytes);  // includes words that are written in part
    each_whole_word(array, to, bytes,
                    [&](Cell& cell, const std::byte*) { cell.writer = mine; });
  }

 private:
  // A word that a copy covers in part may also belong to a copy on another
  // stream.
  template <typename F>
  void each_whole_word(Allocation& array, const void* first, std::size_t bytes,
                       F f) const {
    if (array.cells.empty()) return;
    const auto begin = array.offset(first), end = begin + bytes;
    for (auto word = (begin + word_bytes - 1) / word_bytes;
         (word + 1) * word_bytes <= end; ++word) {
      f(array.cells[word], array.data + word * word_bytes);
    }
  }
  void require_order(const char* does, Stamp other, const char* did,
                     const Allocation& array, const std::byte* word) const {
    if (order.comes_before(other.instance, stream)) return;
    throw PointError(Verdict::wrong_result, Cause::race_of_streams,
                     operation + does, array.element(word, word_bytes),
                     order.name_of(other.instance), did);
  }
};

}  // namespace

// ---- their order

void StreamOrder::wait(int i, int other, std::uint32_t next_instance) {
  auto& waited = waited_[i];
  for (const auto& [stream, instance] : waited_[other]) {
    waited[stream] = std::max(waited[stream], instance);
  }
  waited[other] = next_instance;
}

int StreamOrder::stream_of(std::uint32_t instance) const {
  return std::prev(starts_.upper_bound(instance))->second;
}

bool StreamOrder::comes_before(std::uint32_t instance, int i) const {
  if (instance < begin_) return true;
  const int stream = stream_of(instance);
  if (stream == i) return true;
  const auto waited = waited_.find(i);
  if (waited == waited_.end()) return false;
  const auto until = waited->second.find(stream);
  return until != waited->second.end() && instance < until->second;
}

// ---- all of them

EmulatedStreams::EmulatedStreams(std::shared_ptr<EmulatedMachine> machine)
    : machine_(std::move(machine)), order_(machine_->instances) {}

EmulatedGpu& EmulatedStreams::operator[](int i) {
  require_stream(i);
  while (std::ssize(streams_) <= i) {
    const auto next = static_cast<int>(streams_.size());
    streams_.emplace_back(machine_, 0, "stream " + std::to_string(next) + "'s ",
                          &order_, next);
    streams_.back().begin_run();
  }
  return streams_[static_cast<std::size_t>(i)];
}

void EmulatedStreams::wait(int i, int other) {
  (*this)[i];
  (*this)[other];
  order_.wait(i, other, machine_->instances);
}

Allocation& EmulatedStreams::array_at(const std::string& does,
                                      const void* address, std::size_t bytes,
                                      bool on_host) {
  Allocation* const array = machine_->arena.owner(address);
  const std::string whose =
      on_host ? "the host's array" : "memory of the device";
  const auto refuse = [](Detail why) {
    throw PointError(Verdict::launch_failed, std::move(why));
  };
  if (array == nullptr) refuse(because(Cause::no_array, does, bytes, whose));
  if ((array->device == host_memory) != on_host)
    refuse(because(Cause::wrong_side, does, array->at(address), whose));
  if (!array->contains(address, bytes))
    refuse(array->outside(does, address, bytes));
  return *array;
}

void EmulatedStreams::copy(const std::string& operation, int i,
                           const Rows& rows, bool to_device) {
  (*this)[i];
  const auto instance = machine_->instances++;
  order_.started(instance, i);
  const Copy checked{operation, order_, i, {.phase = 1, .instance = instance}};
  const Arena::Access access(machine_->arena);
  for (std::size_t row = 0; row < rows.count; ++row) {
    const auto* const from =
        static_cast<const std::byte*>(rows.from) + row * rows.from_pitch;
    auto* const to = static_cast<std::byte*>(rows.to) + row * rows.to_pitch;
    auto& source = array_at(operation + " reads", from, rows.bytes, to_device);
    auto& target = array_at(operation + " writes", to, rows.bytes, !to_device);
    if (target.kind == Kind::input) {
      throw PointError(Verdict::wrong_result, Cause::input_written,
                       operation + " writes", target.at(to));
    }
    checked.read(source, from, rows.bytes);
    checked.write(target, to, rows.bytes);
    access.open(source);
    access.open(target);
    std::memmove(to, from, rows.bytes);
  }
}

Detail EmulatedStreams::scratch_damage() const {
  for (const auto& stream : streams_) {
    if (auto damage = stream.scratch_damage()) return damage;
  }
  return {};
}

LaunchShape EmulatedStreams::launch_shape() const {
  LaunchShape shape;
  int launches = 0;
  for (const auto& stream : streams_) {
    if (stream.launches().empty()) continue;
    shape = stream.launch_shape();
    launches += shape.launches;
  }
  shape.launches = launches;
  return shape;
}

}  // namespace parlab
