#include "places/emulation/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/workload.hpp"
#include "facts/cause.hpp"

namespace parlab::emulation {
namespace {

// Pages of zeros, made when first touched; at an address in use they
// replace what is there.
void* map(void* at, std::size_t bytes, int protection) {
  const int flags =
      MAP_PRIVATE | MAP_ANONYMOUS | (at == nullptr ? 0 : MAP_FIXED);
  return mmap(at, bytes, protection, flags, -1, 0);
}

}  // namespace

void Allocation::poison() {
  std::memset(data, poison_byte, bytes);
  cells.assign(cells.size(), {});
}

void Allocation::settle(const void* first, std::size_t length) {
  if (cells.empty() || length == 0) return;
  const auto begin = offset(first) / word_bytes;
  const auto end = (offset(first) + length + word_bytes - 1) / word_bytes;
  // Instance 0: of no block, before all of them.
  for (auto word = begin; word < end; ++word)
    cells[word] = {.writer = {0, 1, 0, 0}};
}

std::string Allocation::element(const void* address, std::size_t length) const {
  const auto position = offset(address);
  if (length > 8 || position % length != 0) return at(address);
  return name + '[' + std::to_string(position / length) + ']';
}

std::string Allocation::outside(const void* address) const {
  const auto array = name + " (" + std::to_string(bytes) + " bytes)";
  if (address < data) {
    return std::to_string(-offset(address)) + " bytes before the start of " +
           array;
  }
  if (offset(address) <= bytes) return "just past the end of " + array;
  return std::to_string(offset(address) - bytes) + " bytes past the end of " +
         array;
}

std::string Allocation::at(const void* address) const {
  if (!contains(address, 1)) return outside(address);
  return "byte " + std::to_string(offset(address)) + " of " + name;
}

void Arena::protect(bool closed) const {
  if (std::exchange(closed_, closed) == closed && !closed) return;
  for (const Allocation* const array : arrays_) {
    if (array == nullptr) continue;
    mprotect(array->data, array->bytes + 1,
             closed ? PROT_NONE : PROT_READ | PROT_WRITE);
  }
}

Arena::Arena()
    : first_(static_cast<std::byte*>(
          map(nullptr, ranges * range_bytes, PROT_NONE))) {}
Arena::~Arena() {
  munmap(first_, ranges * range_bytes);
}

// The system refuses what it could never hold.
Memory Arena::allocate(const std::string& name,
                       std::size_t bytes,
                       Kind kind,
                       int device) {
  const auto range = std::find(arrays_.begin(), arrays_.end(), nullptr);
  std::byte* const data =
      first_ + (range - arrays_.begin()) * range_bytes + range_bytes / 2;
  if (static_cast<void*>(first_) == MAP_FAILED || range == arrays_.end() ||
      bytes >= range_bytes / 2 ||
      map(data, bytes + 1, PROT_READ | PROT_WRITE) == MAP_FAILED) {
    throw PointError(Verdict::out_of_memory,
                     "emulation has no room for " + name + " of " +
                         std::to_string(bytes) +
                         " bytes: use a smaller size, or see ulimit -v (it "
                         "takes 8 TB of addresses)");
  }
  const auto words =
      kind == Kind::input ? 0 : (bytes + word_bytes - 1) / word_bytes;
  *range =
      new Allocation{name, data, bytes, kind, std::vector<Cell>(words), device};
  return {*range, [this, range](const Allocation* gone) {
            map(gone->data, gone->bytes + 1, PROT_NONE);
            *range = nullptr;
            delete gone;
          }};
}

}  // namespace parlab::emulation
