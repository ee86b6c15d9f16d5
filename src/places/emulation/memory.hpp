// Emulated memory of a device. Every array lies in the middle of its own range
// of addresses, so that a wrong address tells which array it missed. For every
// word the memory records which thread touched it last.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "facts/cause.hpp"

namespace parlab::emulation {

// For functions that every access calls.
#define PARLAB_INLINE __attribute__((always_inline)) inline

// Which thread accessed a word, and when. All zero: none did.
struct Stamp {
  std::uint64_t atomic : 1 = 0;
  std::uint64_t thread : 10 = 0;
  // of the block; 0: before everything that it does
  std::uint64_t phase : 21 = 0;
  // number of a block, counting all that ever ran
  std::uint64_t instance : 32 = 0;

  // As one number, with the block and its phase in front.
  std::uint64_t bits() const { return std::bit_cast<std::uint64_t>(*this); }
  bool operator==(const Stamp& other) const { return bits() == other.bits(); }
};
constexpr std::uint32_t max_phases = 1u << 21;

// OS threads share the cells of global memory.
PARLAB_INLINE Stamp load(Stamp& stamp) {
  Stamp value;
  __atomic_load(&stamp, &value, __ATOMIC_RELAXED);
  return value;
}
PARLAB_INLINE void store(Stamp& stamp, Stamp value) {
  __atomic_store(&stamp, &value, __ATOMIC_RELAXED);
}

// The last accesses to one word of 4 bytes: a write, and two reads without a
// known order between them.
struct Cell {
  Stamp writer{}, readers[2]{};
};
constexpr std::size_t word_bytes = 4;

// The cells of an array, one per word; all zero at first. They are pages of
// zeros, so that only cells of words that are accessed take memory and time.
class Cells {
 public:
  explicit Cells(std::size_t count = 0);  // throws std::bad_alloc
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const Cell* data() const { return first_.get(); }
  Cell& operator[](std::size_t word) { return first_[word]; }
  const Cell& operator[](std::size_t word) const { return first_[word]; }

 private:
  struct Unmap {
    std::size_t count = 0;
    void operator()(Cell* first) const;
  };
  std::size_t count_;
  std::unique_ptr<Cell[], Unmap> first_;
};

// zeroed: scratch memory, which must be left as it was found.
enum class Kind { input, output, zeroed, shared };

constexpr int host_memory = -1;  // used in place of a device number

struct Allocation {
  std::string name;  // "y", "scratch 1"
  std::byte* data;
  std::size_t bytes;
  Kind kind;
  Cells cells{};  // none for an input
  // owner of the memory, or host_memory; shared memory belongs to any device
  int device = 0;
  bool managed = false;  // the host may touch it, too
  bool closed = false;   // to all accesses, by the Arena
  // freed by the program; later accesses are reported as such
  bool freed = false;

  std::size_t offset(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                    data);
  }
  bool contains(const void* first, std::size_t length) const {
    return offset(first) <= bytes && length <= bytes - offset(first);
  }
  bool is_dynamic() const { return name.starts_with("dynamic"); }
  // Marks the current content as written before everything that runs from now
  // on.
  void settle(const void* first, std::size_t length);
  // "y[17]"
  std::string element(const void* address, std::size_t length) const;
  // Cause::before_the_start, at_the_end or past_the_end, for an access outside
  // the array. does: "reads", "exchange writes".
  Detail outside(const std::string& does, const void* address,
                 std::size_t length) const;
  std::string at(const void* address) const;  // "byte 12 of y"
};
using Memory = std::shared_ptr<Allocation>;

class Arena {
 public:
  Arena();  // allocations fail if it could not reserve addresses
  ~Arena();
  // To read the memory is an error until something is written. It must not
  // outlive the Arena. Throws PointError(out_of_memory).
  Memory allocate(const std::string& name, std::size_t bytes, Kind kind,
                  int device = 0);
  // The array to whose range the address belongs, or nullptr. The address may
  // still lie outside the array itself.
  Allocation* owner(const void* address) const {
    const auto offset = static_cast<std::size_t>(
        static_cast<const std::byte*>(address) - first_);
    return offset < ranges * range_bytes ? arrays_[offset / range_bytes]
                                         : nullptr;
  }

  // Whether arrays lie there, or lay there once.
  bool reserves(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                    first_) < ranges * range_bytes;
  }

  // Arrays that kernels on one device may read; most accesses are such reads.
  class Inputs;
  Inputs inputs_of(int device) const;

  // Closes the arrays to all accesses, or opens all or some of them, while it
  // lives. A new array is open until then.
  class Access;

 private:
  void protect(bool closed) const;
  // Asks the system only if it changes something, since that takes 10 us.
  static void protect(Allocation& array, bool closed);

  mutable bool closed_ = false;
  static constexpr std::size_t ranges = 128, range_bytes = std::size_t{1} << 36;
  std::byte* first_;
  std::array<Allocation*, ranges> arrays_{};
};

class Arena::Inputs {
 public:
  PARLAB_INLINE bool contain(const void* address, std::size_t length) const {
    const auto offset = static_cast<std::size_t>(
        static_cast<const std::byte*>(address) - first_);
    const auto range = offset / range_bytes, begin = offset % range_bytes;
    return range < ranges && begin < bytes_[range] &&
           length <= bytes_[range] - begin;
  }

 private:
  friend Arena;
  const std::byte* first_ = nullptr;  // start of the array in the first range
  std::array<std::size_t, ranges> bytes_{};
};

class Arena::Access {
 public:
  explicit Access(const Arena& arena) : arena_(arena), before_(arena.closed_) {}
  Access(const Arena& arena, bool closed) : Access(arena) {
    arena_.protect(closed);
  }
  void open(Allocation& array) const { protect(array, false); }
  ~Access() { arena_.protect(before_); }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

 private:
  const Arena& arena_;
  bool before_;
};

}  // namespace parlab::emulation
