#include "verify/host_arrays.hpp"

#include <sys/mman.h>

#include <cstring>
#include <numeric>

#include "machine/memory.hpp"
#include "machine/pinning.hpp"
#include "machine/topology.hpp"
#include "verify/guard.hpp"

namespace parlab {

namespace {

// Each core touches the part of the array that it works on in an evenly divided
// loop, so that the pages lie on its own NUMA node.
void touch(unsigned char* memory, std::size_t bytes) {
  constexpr std::size_t page = 4096;
#pragma omp parallel for schedule(static) num_threads(physical_cores())
  for (std::size_t i = 0; i < bytes; i += page)
    memory[i] = 0;
}

}  // namespace

void HostArrays::Release::operator()(unsigned char* memory) const {
  munmap(memory, bytes);
}

HostArrays::HostArrays(const std::vector<ArraySpec>& specs) {
  const auto needed = std::accumulate(
      specs.begin(), specs.end(), 0.0, [](double sum, const ArraySpec& spec) {
        return sum + static_cast<double>(spec.bytes());
      });
  if (const double free = free_memory_bytes(); needed > free) {
    throw PointError(Verdict::out_of_memory, Cause::host_memory_short,
                     quantity(needed, Unit::byte), quantity(free, Unit::byte));
  }
  const PinnedTeam team(physical_cores());
  std::vector<Array> arrays;
  for (const auto& spec : specs) {
    const std::size_t bytes = spec.bytes();
    const std::size_t whole = bytes + 2 * guard_bytes;
    // mmap gives fresh pages, so that the thread that touches them first also
    // places them.
    void* memory = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw PointError(Verdict::out_of_memory, Cause::no_host_memory, spec.name,
                       quantity(bytes, Unit::byte));
    }
    if (bytes >= std::size_t{4} << 20) madvise(memory, whole, MADV_HUGEPAGE);
    auto* start = static_cast<unsigned char*>(memory);
    touch(start, whole);
    memory_.emplace_back(start, Release{whole});
    arrays.push_back({spec, start + guard_bytes});
  }
  view_ = Arrays(std::move(arrays));
  renew_guards();
}

void HostArrays::renew_guards() {
  for (const auto& array : view_) {
    auto* data = static_cast<unsigned char*>(array.data);
    const auto bytes = array.spec.bytes();
    std::memset(data - guard_bytes, guard_byte, guard_bytes);
    std::memset(data + bytes, guard_byte, guard_bytes);
  }
}

void HostArrays::poison() {
  for (const auto& array : view_)
    std::memset(array.data, poison_byte, array.spec.bytes());
}

Detail HostArrays::damage() const {
  for (const auto& array : view_) {
    const auto* data = static_cast<const unsigned char*>(array.data);
    const auto bytes = array.spec.bytes();
    if (auto damage =
            guard_damage(array.spec.name, data - guard_bytes, data + bytes)) {
      return damage;
    }
  }
  return {};
}

}  // namespace parlab
