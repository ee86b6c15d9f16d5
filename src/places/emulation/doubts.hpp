// Plain reads of words that atomics change. Such a read is correct if a
// compare-and-swap then checks the value, as in the atomicAdd() of doubles in
// the CUDA C++ Programming Guide. Whether it is shows only later, at the swap
// or at the end of the launch.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <vector>

#include "facts/cause.hpp"

namespace parlab::emulation {

class Doubts {
 public:
  struct Reader {
    std::uint32_t instance;  // of the thread's block
    std::uint32_t thread;
    const std::uint32_t* word;
    auto operator<=>(const Reader&) const = default;
  };

  // An atomic came before the read, which is at that place in the program.
  // False if this thread has a doubt about the word already and reads it again.
  bool add_read(const Reader& reader, const void* place, Detail race);
  // An atomic came after the read. `unsettled` tells whether the reader's swap
  // has not removed the read meanwhile.
  void add_atomic(const Reader& reader, Detail race,
                  const std::function<bool()>& unsettled);
  // The thread swaps the value that it read at that place; nullptr: at another
  // place.
  void settle(const Reader& reader, const void* place);
  // The first doubt that no swap has settled; nullptr if there is none. A place
  // that reads for swaps is settled for all threads, because a thread may find
  // nothing to swap.
  const Detail* left() const;

 private:
  struct Doubt {
    Reader reader;
    const void* place;  // nullptr if the atomic came after the read
    Detail race;
  };
  std::mutex mutex_;
  std::vector<Doubt> doubts_;
  std::set<const void*> reads_for_swaps_;
  std::set<Reader> swapped_;
  std::set<const std::uint32_t*> swapped_words_;
};

}  // namespace parlab::emulation
