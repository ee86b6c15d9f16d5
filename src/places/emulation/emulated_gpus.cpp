#include "places/emulation/emulated_gpus.hpp"
#include "facts/cause.hpp"

#include <cstring>

namespace parlab {

using namespace emulation;

namespace {

std::string gpu_called(int i) {
  return "GPU " + std::to_string(i);
}

[[noreturn]] void refuse(Verdict verdict,
                         const char* operation,
                         const std::string& what) {
  throw PointError(verdict, std::string(operation) + ' ' + what);
}

// to[k] += from[k], narrow types through float as everywhere.
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

EmulatedGpus::EmulatedGpus(int count,
                           std::uint64_t seed,
                           Order order,
                           std::shared_ptr<EmulatedMachine> machine)
    : machine_(machine ? std::move(machine)
                       : std::make_shared<EmulatedMachine>()) {
  for (int i = 0; i < count; ++i) {
    gpus_.emplace_back(seed, order, machine_, i, gpu_called(i) + "'s ");
  }
}

void EmulatedGpus::beside(const std::function<void()>& transfers,
                          const std::function<void()>& work) {
  const auto first = machine_->instances;
  work();
  beside_ = first;
  struct Leave {
    std::optional<std::uint32_t>& beside;
    ~Leave() { beside.reset(); }
  } leave{beside_};
  transfers();
}

Allocation& EmulatedGpus::array_at(const char* operation,
                                   int gpu,
                                   const void* address,
                                   std::size_t bytes,
                                   bool writes) {
  const std::string does = writes ? "writes " : "reads ";
  if (gpu < 0 || gpu >= count()) {
    refuse(Verdict::launch_failed, operation,
           "names " + gpu_called(gpu) + " of " + std::to_string(count()));
  }
  Allocation* const array = machine_->arena.owner(address);
  if (array == nullptr) {
    refuse(Verdict::launch_failed, operation,
           does + std::to_string(bytes) +
               " bytes of no GPU's memory as if it were " + gpu_called(gpu) +
               "'s");
  }
  if (array->device != gpu) {
    refuse(Verdict::launch_failed, operation,
           does + array->at(address) + " as if it were on " + gpu_called(gpu));
  }
  if (!array->contains(address, bytes)) {
    const auto* last = static_cast<const std::byte*>(address) + bytes - 1;
    refuse(Verdict::launch_failed, operation,
           does + (array->contains(address, 1) ? array->outside(last)
                                               : array->outside(address)));
  }
  return *array;
}

std::vector<std::byte> EmulatedGpus::take(const char* operation,
                                          int gpu,
                                          const void* from,
                                          std::size_t bytes) {
  const auto& array = array_at(operation, gpu, from, bytes, false);
  for (std::size_t at = 0; at < bytes && !array.cells.empty();
       at += word_bytes) {
    const auto* const word = static_cast<const std::byte*>(from) + at;
    const Stamp writer = array.cells[array.offset(word) / word_bytes].writer;
    if (writer == Stamp{}) {
      refuse(Verdict::wrong_result, operation,
             "reads " + array.element(word, word_bytes) +
                 ", which nothing has written");
    }
    if (touched_beside(writer)) {
      refuse(Verdict::wrong_result, operation,
             "reads " + array.element(word, word_bytes) +
                 ", which work beside it writes: possible race");
    }
  }
  const Arena::Access access(machine_->arena, false);
  const auto* const first = static_cast<const std::byte*>(from);
  return {first, first + bytes};
}

void EmulatedGpus::put(const char* operation,
                       int gpu,
                       void* to,
                       const std::vector<std::byte>& bytes) {
  auto& array = array_at(operation, gpu, to, bytes.size(), true);
  if (array.kind == Kind::input) {
    refuse(Verdict::wrong_result, operation,
           "writes " + array.at(to) + ", an input");
  }
  for (std::size_t at = 0; at < bytes.size(); at += word_bytes) {
    const auto* const word = static_cast<const std::byte*>(to) + at;
    const auto& [writer, readers] =
        array.cells[array.offset(word) / word_bytes];
    if (touched_beside(writer) || touched_beside(readers[0]) ||
        touched_beside(readers[1])) {
      refuse(Verdict::wrong_result, operation,
             "writes " + array.element(word, word_bytes) +
                 ", which work beside it touches: possible race");
    }
  }
  const Arena::Access access(machine_->arena, false);
  std::memcpy(to, bytes.data(), bytes.size());
  array.settle(to, bytes.size());
}

void EmulatedGpus::require_everywhere(const char* operation,
                                      const std::vector<void*>& data) const {
  if (static_cast<int>(data.size()) == count()) return;
  refuse(Verdict::launch_failed, operation,
         "has memory of " + std::to_string(data.size()) +
             " GPUs, and the team has " + std::to_string(count()));
}

void EmulatedGpus::sum_over_all(const std::vector<void*>& from,
                                const std::vector<void*>& to,
                                std::int64_t elements,
                                Dtype dtype) {
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

void EmulatedGpus::send_to_all(int root,
                               const std::vector<void*>& data,
                               std::int64_t elements,
                               Dtype dtype) {
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
      refuse(Verdict::wrong_result, name,
             "reads " +
                 array_at(name, move.source, move.from, move.bytes, false)
                     .at(move.from) +
                 ", where another of its moves writes: possible race");
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
