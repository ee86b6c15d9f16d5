// What the compiler calls from emulated kernels: before every access to memory, instead of every
// atomic operation (-fsanitize=thread), and where the language has no meaning (-fsanitize=bounds
// and its kin). The names and signatures are those of GCC's instrumentation; the host code of the
// same files calls them too, outside of any kernel, and must not notice.
#include <cstdio>
#include <cstdlib>

#include "emulation/block.hpp"

namespace {

using namespace parlab::emulation;

// volatile: in device memory it is used to wait for other blocks, like an atomic; in shared memory
// it orders nothing.
void check_volatile(const void* p, std::size_t bytes, bool writes) {
  const auto* array = running == nullptr ? nullptr : running->block->array_of(p);
  if (array == nullptr || array->kind == Kind::shared) return check_access(p, bytes, writes);
  const AtomicAccess noted(p, bytes, writes);
}

}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* p, std::size_t bytes) { check_access(p, bytes, false); }
void __tsan_write_range(void* p, std::size_t bytes) { check_access(p, bytes, true); }

#define ACCESS(bytes, name, writes)                                                 \
  void __tsan_##name##bytes(void* p) { check_access(p, bytes, writes); }            \
  void __tsan_unaligned_##name##bytes(void* p) { check_access(p, bytes, writes); }  \
  void __tsan_volatile_##name##bytes(void* p) { check_volatile(p, bytes, writes); } \
  void __tsan_unaligned_volatile_##name##bytes(void* p) { check_volatile(p, bytes, writes); }
#define READ_AND_WRITE(bytes) ACCESS(bytes, read, false) ACCESS(bytes, write, true)
READ_AND_WRITE(1)
READ_AND_WRITE(2)
READ_AND_WRITE(4)
READ_AND_WRITE(8)
READ_AND_WRITE(16)

#define FETCH(bits, T, name)                                          \
  T __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int) { \
    const AtomicAccess noted(p, bits / 8, true);                      \
    return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);         \
  }
#define ATOMIC(bits, T)                                                                           \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                                        \
    const AtomicAccess noted(p, bits / 8, false);                                                 \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                               \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {                                 \
    const AtomicAccess noted(p, bits / 8, true);                                                  \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                               \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* old, T value, int, int) {   \
    const AtomicAccess noted(p, bits / 8, true);                                                  \
    return __atomic_compare_exchange_n(p, old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                               \
  FETCH(bits, T, add) FETCH(bits, T, sub) FETCH(bits, T, and) FETCH(bits, T, or)
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)

void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"

namespace {

// The data of every report below begins with where it is in the source.
struct Place {
  const char* file;
  unsigned line, column;
};

void undefined(const void* data, const char* what, std::intptr_t number = 0) {
  const auto* place = static_cast<const Place*>(data);
  char text[60];
  std::snprintf(text, sizeof text, what, static_cast<long>(number));
  if (running == nullptr) {
    std::fprintf(stderr, "the host code of a variant: %s at %s\n", text,
                 name_place(place->file, place->line).c_str());
    std::abort();
  }
  InRuntime here;
  here.fail(parlab::Verdict::wrong_result, text + (" at " + name_place(place->file, place->line)));
}

}  // namespace

#define UNDEFINED(name, what) \
  void __ubsan_handle_##name(void* data, std::intptr_t number) { undefined(data, what, number); }
extern "C" {
UNDEFINED(out_of_bounds, "index %ld is outside the array")
UNDEFINED(shift_out_of_bounds, "shift by more bits than there are")
UNDEFINED(divrem_overflow, "division by zero")
UNDEFINED(type_mismatch_v1, "address is not aligned to its type")
}
