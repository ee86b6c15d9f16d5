// What the compiler calls from emulated kernels: before every access to memory, instead of every
// atomic operation (-fsanitize=thread), and where the language has no meaning (-fsanitize=bounds
// and its kin). The names and signatures are those of GCC's instrumentation; the host code of the
// same files calls them too, outside of any kernel, and must not notice.
#include <cstdio>
#include <cstdlib>

#include "emulation/runtime.hpp"

// Clang-format off: one line a hook.
// clang-format off
namespace {
using parlab::emulation::Access;
using parlab::emulation::check_access;

void check(const void* p, std::size_t bytes, Access access) {
  check_access(reinterpret_cast<std::uintptr_t>(p), bytes, access);
}

// volatile: in device memory it is used to wait for other blocks, like an atomic; in shared memory
// it orders nothing.
void check_volatile(const void* p, std::size_t bytes, Access plain, Access atomic) {
  const auto* worker = parlab::emulation::current.worker;
  if (parlab::emulation::current.thread == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const bool global = const_cast<parlab::emulation::Worker*>(worker)->launch().arena->contains(address);
  check_access(address, bytes, global ? atomic : plain);
  if (global && atomic == Access::atomic) parlab::emulation::before_atomic(address);
  if (global) parlab::emulation::after_atomic(address);  // a store is noted before it takes effect
}

// Surrounds an atomic operation.
class Atomic {
 public:
  Atomic(const volatile void* p, std::size_t bytes, Access access)
      : address_(reinterpret_cast<std::uintptr_t>(p)) {
    check_access(address_, bytes, access);
    if (access == Access::atomic) parlab::emulation::before_atomic(address_);
  }
  ~Atomic() { parlab::emulation::after_atomic(address_); }

 private:
  std::uintptr_t address_;
};
}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* p, std::size_t bytes) { check(p, bytes, Access::read); }
void __tsan_write_range(void* p, std::size_t bytes) { check(p, bytes, Access::write); }

#define ACCESS(bytes)                                                                                   \
  void __tsan_read##bytes(void* p) { check(p, bytes, Access::read); }                                   \
  void __tsan_write##bytes(void* p) { check(p, bytes, Access::write); }                                 \
  void __tsan_unaligned_read##bytes(void* p) { check(p, bytes, Access::read); }                         \
  void __tsan_unaligned_write##bytes(void* p) { check(p, bytes, Access::write); }                       \
  void __tsan_volatile_read##bytes(void* p) { check_volatile(p, bytes, Access::read, Access::atomic_read); } \
  void __tsan_volatile_write##bytes(void* p) { check_volatile(p, bytes, Access::write, Access::atomic); } \
  void __tsan_unaligned_volatile_read##bytes(void* p) { check_volatile(p, bytes, Access::read, Access::atomic_read); } \
  void __tsan_unaligned_volatile_write##bytes(void* p) { check_volatile(p, bytes, Access::write, Access::atomic); }
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)

#define FETCH(bits, T, name)                                              \
  T __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int) {     \
    const Atomic operation(p, bits / 8, Access::atomic);                   \
    return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);             \
  }
#define EXCHANGE(bits, T, strength)                                                              \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile T* p, T* expected, T value, int, int) { \
    const Atomic operation(p, bits / 8, Access::atomic);                                          \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
  }
#define ATOMIC(bits, T)                                                   \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                \
    const Atomic operation(p, bits / 8, Access::atomic_read);        \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                          \
  }                                                                       \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {         \
    const Atomic operation(p, bits / 8, Access::atomic);                   \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                         \
  }                                                                       \
  T __tsan_atomic##bits##_exchange(volatile T* p, T value, int) {         \
    const Atomic operation(p, bits / 8, Access::atomic);                   \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);               \
  }                                                                       \
  FETCH(bits, T, add) FETCH(bits, T, sub) FETCH(bits, T, and)             \
  FETCH(bits, T, or) FETCH(bits, T, xor) FETCH(bits, T, nand)             \
  EXCHANGE(bits, T, strong) EXCHANGE(bits, T, weak)
ATOMIC(8, unsigned char) ATOMIC(16, unsigned short) ATOMIC(32, unsigned) ATOMIC(64, unsigned long)

void __tsan_atomic_thread_fence(int) { parlab::emulation::fence(); }
void __tsan_atomic_signal_fence(int) {}

// The data of every report below begins with where it is in the source.
struct Place { const char* file; unsigned line, column; };
}  // extern "C"

namespace {
void undefined(const void* data, const char* what) {
  using namespace parlab::emulation;
  const auto* place = static_cast<const Place*>(data);
  const std::string file = place->file == nullptr ? "?" : place->file;
  const std::string text = std::string(what) + " at line " + std::to_string(place->line) + " of " +
                           file.substr(file.rfind('/') + 1);
  if (current.thread != nullptr) {
    InRuntime here;
    here.worker.fail(here.thread, parlab::Verdict::wrong_result, text);
  }
  std::fprintf(stderr, "the host code of a variant: %s\n", text.c_str());
  std::abort();
}
}  // namespace

extern "C" {
void __ubsan_handle_out_of_bounds(void* data, void* index) {
  const auto text = "index " + std::to_string(reinterpret_cast<std::intptr_t>(index)) + " is outside the array";
  undefined(data, text.c_str());
}
void __ubsan_handle_shift_out_of_bounds(void* data, void*, void*) { undefined(data, "shift by more bits than there are"); }
void __ubsan_handle_divrem_overflow(void* data, void*, void*) { undefined(data, "division by zero"); }
void __ubsan_handle_vla_bound_not_positive(void* data, void*) { undefined(data, "array without elements"); }
void __ubsan_handle_type_mismatch_v1(void* data, void* pointer) {
  undefined(data, pointer == nullptr ? "null pointer is used" : "address is not aligned to its type");
}
void __ubsan_handle_builtin_unreachable(void* data) { undefined(data, "unreachable code is reached"); }
void __ubsan_handle_missing_return(void* data) { undefined(data, "function ends without a value"); }
void __ubsan_handle_nonnull_arg(void* data) { undefined(data, "null pointer is handed over"); }
void __ubsan_handle_pointer_overflow(void* data, void*, void*) { undefined(data, "pointer arithmetic overflows"); }
void __ubsan_handle_add_overflow(void* data, void*, void*) { undefined(data, "signed integer overflow (+)"); }
void __ubsan_handle_sub_overflow(void* data, void*, void*) { undefined(data, "signed integer overflow (-)"); }
void __ubsan_handle_mul_overflow(void* data, void*, void*) { undefined(data, "signed integer overflow (*)"); }
void __ubsan_handle_negate_overflow(void* data, void*) { undefined(data, "signed integer overflow (negation)"); }
}  // extern "C"
