#include "emulation/memory.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/types.hpp"

namespace parlab::emulation {
namespace {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::size_t physical_memory() {
  return page_bytes() * static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
}

std::string bytes_text(std::size_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace

Pages::Pages(std::size_t bytes, bool accessible)
    : bytes_(round_up(bytes, page_bytes())), reserved_(!accessible) {
  if (bytes_ == 0) return;
  void* const pages = mmap(nullptr, bytes_, accessible ? PROT_READ | PROT_WRITE : PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) {
    throw PointError(Verdict::out_of_memory, "emulation needs " + bytes_text(bytes_) +
                                                 " of address space: use a smaller size");
  }
  data_ = static_cast<std::byte*>(pages);
}

Pages::Pages(Pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      reserved_(other.reserved_) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(reserved_, other.reserved_);
  return *this;
}

Pages::~Pages() {
  if (data_ == nullptr) return;
#ifdef __SANITIZE_ADDRESS__
  // Stacks leave red zones behind, which would stay with these addresses and whoever has them next.
  // A range that is only reserved holds none, and is far too large to go through.
  if (!reserved_) __asan_unpoison_memory_region(data_, bytes_);
#endif
  munmap(data_, bytes_);
}

void Pages::clear() {
  if (data_ != nullptr) madvise(data_, bytes_, MADV_DONTNEED);
}

void Pages::set_accessible(std::size_t offset, std::size_t bytes, bool accessible) {
  bytes = round_up(bytes, page_bytes());
  if (!accessible) madvise(data_ + offset, bytes, MADV_DONTNEED);
  if (mprotect(data_ + offset, bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE) != 0) {
    throw PointError(Verdict::out_of_memory, "emulation cannot get " + bytes_text(bytes) +
                                                 " of memory: use a smaller size");
  }
}

void Allocation::mark_written(std::size_t offset, std::size_t length) {
  if (read_only || length == 0) return;
  for (auto i = offset / word_bytes; i <= (offset + length - 1) / word_bytes; ++i) {
    cells()[i] = {written_by_host, {0, 0}};
  }
}

Arena::Arena()
    : range_(round_up(physical_memory(), slot), false),
      first_(reinterpret_cast<std::uintptr_t>(range_.data())),
      slots_(range_.size() / slot) {}

// At least one slot stays free behind every array, and a margin before them all.
Allocation& Arena::allocate(const std::string& name, std::size_t bytes, bool read_only) {
  const std::size_t wanted = bytes / slot + 2;
  constexpr std::size_t margin = 64;
  std::size_t begin = margin, end = margin;
  while (end < slots_.size() && end - begin < wanted) {
    if (slots_[end++] != nullptr) begin = end;
  }
  if (end - begin < wanted) {
    throw PointError(Verdict::out_of_memory,
                     "emulation has no room for " + name + " of " + bytes_text(bytes) + " among " +
                         bytes_text(range_.size()) + ": use a smaller size");
  }
  range_.set_accessible(begin * slot, bytes, true);
  allocations_.push_back(std::make_unique<Allocation>(
      Allocation{name, range_.data() + begin * slot, bytes, read_only,
                 read_only ? Pages() : Pages((bytes / word_bytes + 1) * sizeof(Cell))}));
  Allocation* const made = allocations_.back().get();
  std::fill_n(slots_.begin() + static_cast<std::ptrdiff_t>(begin), wanted, made);
  return *made;
}

void Arena::free(Allocation& allocation) {
  range_.set_accessible(static_cast<std::size_t>(allocation.data - range_.data()), allocation.bytes,
                        false);
  std::replace(slots_.begin(), slots_.end(), &allocation, static_cast<Allocation*>(nullptr));
  std::erase_if(allocations_, [&](const auto& each) { return each.get() == &allocation; });
}

std::string Arena::describe_outside(std::uintptr_t address) const {
  const Allocation* nearest = nullptr;
  std::size_t distance = range_.size();
  bool before = false;
  for (const auto& each : allocations_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(each->data), end = begin + each->bytes;
    const auto gap = address < begin ? begin - address : address < end ? 0 : address - end;
    if (gap >= distance) continue;
    distance = gap;
    nearest = each.get();
    before = address < begin;
  }
  if (nearest == nullptr) return "device memory that was never allocated";
  const auto array = nearest->name + " (" + bytes_text(nearest->bytes) + ")";
  if (before) return bytes_text(distance) + " before the start of " + array;
  if (distance == 0) return "just past the end of " + array;
  return bytes_text(distance) + " past the end of " + array;
}

std::string Arena::describe(std::uintptr_t address, std::size_t length) const {
  const Allocation* const array = owner(address);
  if (array == nullptr) return "device memory";
  const auto offset = address - reinterpret_cast<std::uintptr_t>(array->data);
  if (length > 8 || offset % length != 0)
    return "byte " + std::to_string(offset) + " of " + array->name;
  return array->name + '[' + std::to_string(offset / length) + ']';
}

}  // namespace parlab::emulation
