// Requests of gpu/ to the emulation for which CUDA has no call that could be
// emulated: instructions, and exchanges between lanes. places/emulation/
// implements them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>

namespace parlab::emulation {

#ifdef __cpp_lib_source_location
using Site = std::source_location;
#else
// The members of std::source_location that are used here, for clang before 16.
class Site {
 public:
  static constexpr Site current(const char* file = __builtin_FILE(),
                                unsigned line = __builtin_LINE(),
                                unsigned column = __builtin_COLUMN(),
                                const char* function = __builtin_FUNCTION()) {
    return {file, line, column, function};
  }
  constexpr const char* file_name() const { return file_; }
  constexpr unsigned line() const { return line_; }
  constexpr unsigned column() const { return column_; }
  constexpr const char* function_name() const { return function_; }

 private:
  constexpr Site(const char* file, unsigned line, unsigned column,
                 const char* function)
      : file_(file), line_(line), column_(column), function_(function) {}
  const char *file_, *function_;
  unsigned line_, column_;
};
#endif

void wait_for_launch_before();

// A copy to shared memory. It takes place when it is waited for, and not
// before.
void copy_async(void* to, const void* from, std::size_t bytes,
                std::size_t zero_bytes);

// Barriers of compute capability 9.0, which count arrivals and the bytes of
// copies, and the copies of boxes that arrive there. A box arrives when its
// barrier is found complete, not before. See gpu/bulk_copies.hpp.
struct Box {
  const void* data;  // the start of the array
  std::int64_t extent[3], pitch[2], size[3],
      at[3];  // first dimension in bytes
  int swizzle;
};
void init_barrier(const void* barrier, int arrivals);
// Both return the parity of the phase in which they arrive.
unsigned arrive(const void* barrier, std::int64_t announced_bytes);
// arrives when the copies that this thread began by copy_async are done
unsigned arrive_after_copies(const void* barrier);
// The current phase ends only when those copies are done, too.
void delay_by_copies(const void* barrier);
// From the next phase on, the barrier expects one arrival less.
void drop_from_barrier(const void* barrier);
bool has_completed(const void* barrier, unsigned parity);
void copy_box(void* shared, const Box& box, const void* barrier);
void copy_bytes(void* shared, const void* from, std::int64_t bytes,
                const void* barrier);
// Ends a kernel that uses what only exists on a GPU: "copies to clusters".
void lacks(const char* what);

// Collects the values of all lanes of the warp, in order, in one meeting; CUDA
// would shuffle each value.
void tell_all_lanes(const void* mine, std::size_t bytes, void* all,
                    const Site& site);
template <typename T>
std::array<T, 32> all_lanes(const T& mine, const Site& site = Site::current()) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::array<T, 32> all;
  tell_all_lanes(&mine, sizeof(T), &all, site);
  return all;
}

}  // namespace parlab::emulation
