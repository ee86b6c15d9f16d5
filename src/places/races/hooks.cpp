// Functions that the compiler calls from watched code: before every memory
// access, and instead of every atomic operation (-fsanitize=thread; libtsan is
// not linked). An atomic is ordered before every later one at its address, but
// a relaxed load takes effect only at the next fence.
#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "places/races/detector.hpp"

using namespace parlab::races;

#define HERE __builtin_return_address(0)

namespace {

class Atomic {
 public:
  Atomic(const volatile void* p, std::size_t bytes, bool writes,
         const void* where, bool relaxed = false)
      : object_(const_cast<const void*>(p)), relaxed_(relaxed) {
    if (self == nullptr) return;
    access(object_, bytes, writes, true, where);
    if (writes) release(object_);
  }
  ~Atomic() {
    if (self == nullptr) return;
    relaxed_ ? acquire_at_fence(object_) : acquire(object_);
  }

 private:
  const void* object_;
  bool relaxed_;
};

template <typename T>
bool swap(volatile T* p, T* old, T value, const void* where) {
  const Atomic noted(p, sizeof(T), true, where);
  return __atomic_compare_exchange_n(p, old, value, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  fence();
}
void __tsan_atomic_signal_fence(int) {}

#define ACCESS(bytes, name, writes)              \
  void __tsan_##name##bytes(void* p) {           \
    access(p, bytes, writes, false, HERE);       \
  }                                              \
  void __tsan_unaligned_##name##bytes(void* p) { \
    access(p, bytes, writes, false, HERE);       \
  }                                              \
  void __tsan_volatile_##name##bytes(void* p) {  \
    access(p, bytes, writes, false, HERE);       \
  }
#define READ_AND_WRITE(bytes) \
  ACCESS(bytes, read, false) ACCESS(bytes, write, true)
READ_AND_WRITE(1)
READ_AND_WRITE(2)
READ_AND_WRITE(4)
READ_AND_WRITE(8)
READ_AND_WRITE(16)
void __tsan_read_range(void* p, std::size_t bytes) {
  access(p, bytes, false, false, HERE);
}
void __tsan_write_range(void* p, std::size_t bytes) {
  access(p, bytes, true, false, HERE);
}

// The names that scripts/emulate-kernel.sh gives to called functions.
void* parlab_memcpy(void* to, const void* from, std::size_t bytes) {
  access(from, bytes, false, false, HERE);
  access(to, bytes, true, false, HERE);
  return std::memcpy(to, from, bytes);
}
void* parlab_memmove(void* to, const void* from, std::size_t bytes) {
  access(from, bytes, false, false, HERE);
  access(to, bytes, true, false, HERE);
  return std::memmove(to, from, bytes);
}
void* parlab_memset(void* to, int value, std::size_t bytes) {
  access(to, bytes, true, false, HERE);
  return std::memset(to, value, bytes);
}

// Other threads may have had this memory before.
void* parlab_malloc(std::size_t bytes) {
  void* const p = std::malloc(bytes);
  forget(p, malloc_usable_size(p));
  return p;
}
void* parlab_new(std::size_t bytes) {
  return ::operator new(bytes);
}
void* parlab_new_array(std::size_t bytes) {
  return ::operator new[](bytes);
}

#define UPDATE(bits, T, name)                                   \
  T __tsan_atomic##bits##_##name(volatile T* p, T value, int) { \
    const Atomic noted(p, bits / 8, true, HERE);                \
    return __atomic_##name(p, value, __ATOMIC_SEQ_CST);         \
  }
#define ATOMIC(bits, T)                                                       \
  T __tsan_atomic##bits##_load(const volatile T* p, int order) {              \
    const Atomic noted(p, bits / 8, false, HERE, order == __ATOMIC_RELAXED);  \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                              \
  }                                                                           \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {             \
    const Atomic noted(p, bits / 8, true, HERE);                              \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                             \
  }                                                                           \
  T __tsan_atomic##bits##_exchange(volatile T* p, T value, int) {             \
    const Atomic noted(p, bits / 8, true, HERE);                              \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                   \
  }                                                                           \
  bool __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* old,   \
                                                     T value, int, int) {     \
    return swap(p, old, value, HERE);                                         \
  }                                                                           \
  bool __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* old,     \
                                                   T value, int, int) {       \
    return swap(p, old, value, HERE);                                         \
  }                                                                           \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T old, T value, \
                                               int, int) {                    \
    swap(p, &old, value, HERE);                                               \
    return old;                                                               \
  }                                                                           \
  UPDATE(bits, T, fetch_add)                                                  \
  UPDATE(bits, T, fetch_sub)                                                  \
  UPDATE(bits, T, fetch_and)                                                  \
  UPDATE(bits, T, fetch_or)                                                   \
  UPDATE(bits, T, fetch_xor)                                                  \
  UPDATE(bits, T, fetch_nand)
ATOMIC(8, unsigned char)
ATOMIC(16, unsigned short)
ATOMIC(32, unsigned)
ATOMIC(64, unsigned long)

// GCC calls these for an `omp atomic` that no single instruction can do.
#define UPDATED(bits, bytes, T)                                     \
  bool updated##bits(volatile T* p, T* old, T value, int,           \
                     int) asm("__atomic_compare_exchange_" #bytes); \
  bool updated##bits(volatile T* p, T* old, T value, int, int) {    \
    return swap(p, old, value, HERE);                               \
  }
UPDATED(8, 1, unsigned char)
UPDATED(16, 2, unsigned short)
UPDATED(32, 4, unsigned)
UPDATED(64, 8, unsigned long)

}  // extern "C"

// Another thread may get the same memory next.
void operator delete(void* p) noexcept {
  forget(p, malloc_usable_size(p));
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  operator delete(p);
}
void operator delete[](void* p) noexcept {
  operator delete(p);
}
void operator delete[](void* p, std::size_t) noexcept {
  operator delete(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
  operator delete(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  operator delete(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
  operator delete(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
  operator delete(p);
}
