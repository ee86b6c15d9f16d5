// Plain reads of words that atomics change. Such a read is no mistake where a
// compare-and-swap then checks what was read, as in the atomicAdd() of doubles
// that the CUDA C++ Programming Guide shows. Which it is shows later: at the
// swap, or when the launch has ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "facts/cause.hpp"

namespace parlab::emulation {

class Doubts {
 public:
  struct Reader {
    std::uint32_t instance;  // of its block
    std::uint32_t thread;
    const std::uint32_t* word;
    auto operator<=>(const Reader&) const = default;
  };

  // An atomic came before the read, which stands at that place of the program.
  // False: this thread is in doubt of the word already, and reads it anew.
  bool add_read(const Reader& reader, const void* place, Detail race);
  // It came after the read.
  void add_atomic(const Reader& reader, Detail race);
  // That thread swaps what it has read, at that place; nullptr: elsewhere.
  void settle(const Reader& reader, const void* place);
  // The first that no swap has settled; nullptr: none. Where a place reads for
  // swaps, a thread may find that there is nothing to swap.
  const Detail* left() const;

 private:
  struct Doubt {
    Reader reader;
    const void* place;  // nullptr: the atomic came after the read
    Detail race;
  };
  std::mutex mutex_;
  std::vector<Doubt> doubts_;
  std::set<const void*> reads_for_swaps_;
  std::set<Reader> swapped_;
  std::set<const std::uint32_t*> swapped_words_;
};

}  // namespace parlab::emulation
