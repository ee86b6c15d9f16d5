// Emulated device memory: arrays far apart in one range of addresses, so that a wrong address is
// seen as such, and for every word of it who touched it last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace parlab::emulation {

// When, and by which thread, a word was accessed. The value 0: never.
using Stamp = std::uint64_t;

// The shadow of one word of 4 bytes.
struct Cell {
  Stamp writer = 0;
  Stamp readers[2] = {0, 0};  // two threads between which no order is known
};
constexpr std::size_t word_bytes = 4;
constexpr Stamp written_by_host = 1;

// Pages of zeros from the system, made when first touched.
class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t bytes, bool accessible = true);
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  ~Pages();
  void clear();  // zeros again
  void set_accessible(std::size_t offset, std::size_t bytes, bool accessible);
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool reserved_ = false;  // without access at first
};

struct Allocation {
  std::string name;  // "y", "scratch 1"
  std::byte* data;
  std::size_t bytes;
  bool read_only;  // an input: nothing may write to it
  Pages shadow;    // one Cell a word; none for an input

  Cell* cells() const { return reinterpret_cast<Cell*>(shadow.data()); }
  bool contains(std::uintptr_t address, std::size_t length) const {
    const auto first = reinterpret_cast<std::uintptr_t>(data);
    return address >= first && address - first + length <= bytes;
  }
  void forget_writes() { shadow.clear(); }  // reading is an error until it is written again
  void mark_written(std::size_t offset, std::size_t length);
};

class Arena {
 public:
  Arena();
  // Throws PointError(out_of_memory).
  Allocation& allocate(const std::string& name, std::size_t bytes, bool read_only);
  void free(Allocation& allocation);

  bool contains(std::uintptr_t address) const { return address - first_ < range_.size(); }
  // The array that owns this part of the range, or nullptr. The address may lie past its end.
  Allocation* owner(std::uintptr_t address) const { return slots_[(address - first_) / slot]; }
  // "4 bytes past the end of y (4000 bytes)": for an address of the range outside all arrays.
  std::string describe_outside(std::uintptr_t address) const;
  // "y[17]" for an access of the given length.
  std::string describe(std::uintptr_t address, std::size_t length) const;

 private:
  static constexpr std::size_t slot = std::size_t{1} << 20;

  Pages range_;
  std::uintptr_t first_;
  std::vector<Allocation*> slots_;
  std::vector<std::unique_ptr<Allocation>> allocations_;
};

}  // namespace parlab::emulation
