#include "places/emulation/emulated_gpus.hpp"
#include "core/at_end.hpp"
#include "facts/cause.hpp"

#include <cstring>

namespace parlab {

using namespace emulation;

namespace {

std::string phrase(const char* operation, const char* does) {
  return std::string(operation) + ' ' + does;
}

// to[k] += from[k]; narrow types are added as floats, as everywhere.
template <typename T>
void add(std::vector<std::byte>& to, const std::vector<std::byte>& from) {
  for (std::size_t at = 0; at < to.size(); at += sizeof(T)) {
    T sum, other;
    std::memcpy(&sum, &to[at], sizeof(T));
    std::memcpy(&other, &from[at], sizeof(T));
    sum = static_cast<T>(sum + other);
    std::memcpy(&to[at], &sum, sizeof(T));
  }
}

}  // namespace

EmulatedGpus::EmulatedGpus(int count, std::shared_ptr<EmulatedMachine> machine)
    : machine_(std::move(machine)) {
  for (int i = 0; i < count; ++i)
    gpus_.emplace_back(machine_, i, "GPU " + std::to_string(i) + "'s ");
}

Detail EmulatedGpus::scratch_damage() const {
  for (const auto& gpu : gpus_) {
    if (auto damage = gpu.scratch_damage()) return damage;
  }
  return {};
}

void EmulatedGpus::beside(const std::function<void()>& transfers,
                          const std::function<void()>& work) {
  const auto first = machine_->instances;
  work();
  beside_ = first;
  const AtEnd leave([&] { beside_.reset(); });
  transfers();
}

Allocation& EmulatedGpus::array_at(const char* operation, int gpu,
                                   const void* address, std::size_t bytes,
                                   bool writes) {
  const auto refuse = [](Detail why) {
    throw PointError(Verdict::launch_failed, std::move(why));
  };
  const auto does = phrase(operation, writes ? "writes" : "reads");
  if (gpu < 0 || gpu >= count())
    refuse(because(Cause::no_such_gpu, operation, gpu, count()));
  Allocation* const array = machine_->arena.owner(address);
  if (array == nullptr)
    refuse(because(Cause::memory_of_no_gpu, does, bytes, gpu));
  if (array->device != gpu)
    refuse(because(Cause::memory_of_other_gpu, does, array->at(address), gpu));
  if (!array->contains(address, bytes))
    refuse(array->outside(does, address, bytes));
  return *array;
}

std::vector<std::byte> EmulatedGpus::take(const char* operation, int gpu,
                                          const void* from, std::size_t bytes) {
  auto& array = array_at(operation, gpu, from, bytes, false);
  for (std::size_t at = 0; at < bytes && !array.cells.empty();
       at += word_bytes) {
    const auto* const word = static_cast<const std::byte*>(from) + at;
    const Stamp writer = array.cells[array.offset(word) / word_bytes].writer;
    const auto refuse = [&](Cause cause) {
      throw PointError(Verdict::wrong_result, cause, phrase(operation, "reads"),
                       array.element(word, word_bytes), "writes");
    };
    if (writer == Stamp{}) refuse(Cause::never_written);
    if (touched_beside(writer)) refuse(Cause::race_beside);
  }
  const Arena::Access access(machine_->arena);
  access.open(array);
  const auto* const first = static_cast<const std::byte*>(from);
  return {first, first + bytes};
}

void EmulatedGpus::put(const char* operation, int gpu, void* to,
                       const std::vector<std::byte>& bytes) {
  auto& array = array_at(operation, gpu, to, bytes.size(), true);
  const auto does = phrase(operation, "writes");
  if (array.kind == Kind::input) {
    throw PointError(Verdict::wrong_result, Cause::input_written, does,
                     array.at(to));
  }
  for (std::size_t at = 0; at < bytes.size(); at += word_bytes) {
    const auto* const word = static_cast<const std::byte*>(to) + at;
    const auto& [writer, readers] =
        array.cells[array.offset(word) / word_bytes];
    if (touched_beside(writer) || touched_beside(readers[0]) ||
        touched_beside(readers[1])) {
      throw PointError(Verdict::wrong_result, Cause::race_beside, does,
                       array.element(word, word_bytes), "touches");
    }
  }
  const Arena::Access access(machine_->arena);
  access.open(array);
  std::memcpy(to, bytes.data(), bytes.size());
  array.settle(to, bytes.size());
}

void EmulatedGpus::require_everywhere(const char* operation,
                                      const std::vector<void*>& data) const {
  if (static_cast<int>(data.size()) == count()) return;
  throw PointError(Verdict::launch_failed, Cause::memory_of_some_gpus,
                   operation, data.size(), count());
}

void EmulatedGpus::sum_over_all(const std::vector<void*>& from,
                                const std::vector<void*>& to,
                                std::int64_t elements, Dtype dtype) {
  constexpr auto name = "all_reduce";
  require_everywhere(name, from);
  require_everywhere(name, to);
  const auto bytes = static_cast<std::size_t>(elements) * bytes_of(dtype);
  if (bytes == 0) return;
  auto sum = take(name, 0, from[0], bytes);
  for (int i = 1; i < count(); ++i) {
    const auto other = take(name, i, from[static_cast<std::size_t>(i)], bytes);
    dispatch_all(dtype, [&]<typename T>(T) { add<T>(sum, other); });
  }
  for (int i = 0; i < count(); ++i)
    put(name, i, to[static_cast<std::size_t>(i)], sum);
}

void EmulatedGpus::send_to_all(int root, const std::vector<void*>& data,
                               std::int64_t elements, Dtype dtype) {
  constexpr auto name = "broadcast";
  require_everywhere(name, data);
  const auto bytes = static_cast<std::size_t>(elements) * bytes_of(dtype);
  if (bytes == 0) return;
  const auto sent =
      take(name, root, data.at(static_cast<std::size_t>(root)), bytes);
  for (int i = 0; i < count(); ++i) {
    if (i != root) put(name, i, data[static_cast<std::size_t>(i)], sent);
  }
}

void EmulatedGpus::exchange(const std::vector<Move>& moves) {
  constexpr auto name = "exchange";
  const auto overlap = [](const void* a, std::size_t a_bytes, const void* b,
                          std::size_t b_bytes) {
    const auto *first = static_cast<const std::byte*>(a),
               *other = static_cast<const std::byte*>(b);
    return first < other + b_bytes && other < first + a_bytes;
  };
  std::vector<std::vector<std::byte>> taken;
  for (const auto& move : moves) {
    for (const auto& other : moves) {
      if (!overlap(move.from, move.bytes, other.to, other.bytes)) continue;
      const auto& array =
          array_at(name, move.source, move.from, move.bytes, false);
      throw PointError(Verdict::wrong_result, Cause::race_of_moves,
                       phrase(name, "reads"), array.at(move.from));
    }
    taken.push_back(move.bytes == 0
                        ? std::vector<std::byte>()
                        : take(name, move.source, move.from, move.bytes));
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (moves[i].bytes > 0) put(name, moves[i].target, moves[i].to, taken[i]);
  }
}

}  // namespace parlab
