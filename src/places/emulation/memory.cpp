#include "places/emulation/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "core/workload.hpp"

namespace parlab::emulation {
namespace {

// Maps pages of zeros, which are made when first touched. At an address in use
// they replace what is there.
void* map(void* at, std::size_t bytes, int protection) {
  const int flags =
      MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED);
  void* const memory = mmap(at, bytes, protection, flags, -1, 0);
  constexpr std::size_t large = std::size_t{4} << 20;
  if (memory != MAP_FAILED && protection != PROT_NONE && bytes >= large)
    madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

Cells::Cells(std::size_t count) : count_(count), first_(nullptr, {count}) {
  if (count == 0) return;
  void* const memory =
      map(nullptr, count * sizeof(Cell), PROT_READ | PROT_WRITE);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  first_.reset(static_cast<Cell*>(memory));
}

void Cells::Unmap::operator()(Cell* first) const {
  munmap(first, count * sizeof(Cell));
}

void Allocation::settle(const void* first, std::size_t length) {
  if (cells.empty() || length == 0) return;
  const auto begin = offset(first) / word_bytes;
  const auto end = (offset(first) + length + word_bytes - 1) / word_bytes;
  // Instance 0 is not a block and comes before all of them.
  for (auto word = begin; word < end; ++word)
    cells[word] = {.writer = {.phase = 1}};
}

std::string Allocation::element(const void* address, std::size_t length) const {
  const auto position = offset(address);
  if (length > 8 || position % length != 0) return at(address);
  return name + '[' + std::to_string(position / length) + ']';
}

Detail Allocation::outside(const std::string& does, const void* address,
                           std::size_t length) const {
  const auto begin = static_cast<std::int64_t>(offset(address)),
             end = static_cast<std::int64_t>(bytes);
  return because(begin < 0      ? Cause::before_the_start
                 : begin <= end ? Cause::at_the_end
                                : Cause::past_the_end,
                 does, length, begin < 0 ? -begin : std::max(begin - end, 0l),
                 name, end);
}

std::string Allocation::at(const void* address) const {
  return "byte " + std::to_string(static_cast<std::int64_t>(offset(address))) +
         " of " + name;
}

void Arena::protect(bool closed) const {
  closed_ = closed;
  for (Allocation* const array : arrays_) {
    if (array != nullptr) protect(*array, closed);
  }
}

void Arena::protect(Allocation& array, bool closed) {
  if (array.managed || array.closed == closed) return;
  array.closed = closed;
  mprotect(array.data, array.bytes + 1,
           closed ? PROT_NONE : PROT_READ | PROT_WRITE);
}

Arena::Inputs Arena::inputs_of(int device) const {
  Inputs inputs;
  inputs.first_ = first_ + range_bytes / 2;
  for (std::size_t i = 0; i < ranges; ++i) {
    const Allocation* const array = arrays_[i];
    if (array != nullptr && array->kind == Kind::input &&
        array->device == device && !array->freed)
      inputs.bytes_[i] = array->bytes;
  }
  return inputs;
}

Arena::Arena()
    : first_(static_cast<std::byte*>(
          map(nullptr, ranges * range_bytes, PROT_NONE))) {}
Arena::~Arena() {
  munmap(first_, ranges * range_bytes);
}

// The system refuses sizes that it could never hold.
Memory Arena::allocate(const std::string& name, std::size_t bytes, Kind kind,
                       int device) {
  const auto range = std::find(arrays_.begin(), arrays_.end(), nullptr);
  std::byte* const data =
      first_ + (range - arrays_.begin()) * range_bytes + range_bytes / 2;
  if (static_cast<void*>(first_) == MAP_FAILED || range == arrays_.end() ||
      bytes >= range_bytes / 2 ||
      map(data, bytes + 1, PROT_READ | PROT_WRITE) == MAP_FAILED) {
    throw PointError(Verdict::out_of_memory, Cause::emulation_memory_short,
                     name, bytes);
  }
  std::memset(data, poison_byte, bytes);
  const auto words =
      kind == Kind::input ? 0 : (bytes + word_bytes - 1) / word_bytes;
  *range = new Allocation{name, data, bytes, kind, Cells(words), device};
  return {*range, [this, range](const Allocation* gone) {
            map(gone->data, gone->bytes + 1, PROT_NONE);
            *range = nullptr;
            delete gone;
          }};
}

}  // namespace parlab::emulation
