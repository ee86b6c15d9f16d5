// Emulated memory of a device: every array in the middle of a range of addresses of its own, so
// that a wrong address tells which array it missed, and for every word who touched it last.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace parlab::emulation {

// Which thread accessed a word, and when. All zero: nobody did.
struct Stamp {
  std::uint64_t instance : 32;  // of a block: counts all blocks that ever ran
  std::uint64_t phase : 21;     // of the block; 0: before all that it does
  std::uint64_t thread : 10;
  std::uint64_t atomic : 1;
};
constexpr std::uint32_t max_phases = 1u << 21;

// The last accesses to one word of 4 bytes: a write, and two reads that no order is known between.
struct Cell {
  Stamp writer{}, readers[2]{};
};
constexpr std::size_t word_bytes = 4;

// zeroed: scratch memory to be left as it was found.
enum class Kind { input, output, zeroed, shared };

struct Allocation {
  std::string name;  // "y", "scratch 1"
  std::byte* data;
  std::size_t bytes;
  Kind kind;
  std::vector<Cell> cells;  // one a word; none for an input

  std::size_t offset(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - data);
  }
  bool contains(const void* first, std::size_t length) const {
    return offset(first) <= bytes && length <= bytes - offset(first);
  }
  void forget_writes() { cells.assign(cells.size(), {}); }  // reading is an error from now on
  void mark_written(const void* first, std::size_t length);
  std::string element(const void* address, std::size_t length) const;  // "y[17]"
  std::string outside(const void* address) const;  // "4 bytes past the end of y (4000 bytes)"
};

class Arena {
 public:
  Arena();
  ~Arena();
  // Throws PointError(out_of_memory).
  Allocation& allocate(const std::string& name, std::size_t bytes, Kind kind);
  void free(const Allocation& allocation);

  bool contains(const void* address) const { return offset(address) < ranges * range_bytes; }
  // The array this part of the addresses belongs to, or nullptr; it need not contain the address.
  Allocation* owner(const void* address) const {
    return arrays_[offset(address) / range_bytes].get();
  }

 private:
  static constexpr std::size_t ranges = 128, range_bytes = std::size_t{1} << 36;
  std::size_t offset(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - first_);
  }

  std::byte* first_;
  std::array<std::unique_ptr<Allocation>, ranges> arrays_;
  std::size_t used_ = 0;
};

}  // namespace parlab::emulation
