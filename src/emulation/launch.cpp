#include <utility>

#include "core/types.hpp"
#include "emulation/runtime.hpp"

namespace parlab::emulation {
namespace {

uint3 unravel(std::uint64_t index, const dim3& extent) {
  return {static_cast<unsigned>(index % extent.x),
          static_cast<unsigned>(index / extent.x % extent.y),
          static_cast<unsigned>(index / extent.x / extent.y)};
}

// "(3,0)", or with the third coordinate when the extent has one.
std::string text(const uint3& position, const dim3& extent) {
  std::string result = "(";
  result += std::to_string(position.x) + ',' + std::to_string(position.y);
  if (extent.z > 1) result += ',' + std::to_string(position.z);
  return result + ')';
}

}  // namespace

std::uint32_t reserve_instances(std::uint64_t count) {
  static std::uint64_t next = 1;
  constexpr std::uint64_t limit = 1u << 29;
  const auto first = __atomic_fetch_add(&next, count, __ATOMIC_RELAXED);
  if (first + count > limit) {
    throw PointError(Verdict::not_supported,
                     "emulation has executed too many blocks in this "
                     "process: start it again for the remaining points");
  }
  return static_cast<std::uint32_t>(first);
}

std::string name_site(const Site& site) {
  const std::string file = site.file_name();
  return "line " + std::to_string(site.line()) + " of " + file.substr(file.rfind('/') + 1);
}

uint3 Launch::block_position(std::uint64_t index) const { return unravel(index, grid); }

std::string Launch::name_block(std::uint64_t block_index) const {
  return "block " + text(unravel(block_index, grid), grid);
}

std::string Launch::name_thread(std::uint64_t block_index, unsigned thread_index) const {
  return name_block(block_index) + ", thread " + text(unravel(thread_index, block), block);
}

void Launch::fail(Verdict verdict, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (!failure_) {
    failure_ = Failure{verdict, "kernel " + kernel + ", " + what +
                                    "; emulated with PARLAB_SEED=" + std::to_string(seed)};
  }
  failed = true;
}

std::optional<Failure> Launch::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

std::uint32_t GridBarrier::wait(Launch& launch) {
  std::unique_lock lock(mutex_);
  if (left_ > 0) return 0;
  if (++waiting_ == blocks_) {
    base_ = reserve_instances(blocks_);
    waiting_ = 0;
    ++generation_;
    changed_.notify_all();
    return base_;
  }
  const auto generation = generation_;
  changed_.wait(lock, [&] { return generation_ != generation || left_ > 0 || launch.failed; });
  return generation_ != generation ? base_ : 0;
}

void GridBarrier::leave() {
  const std::lock_guard lock(mutex_);
  ++left_;
  changed_.notify_all();
}

void Releases::release(std::uintptr_t address, const Release& release) {
  const std::lock_guard lock(mutex_);
  Log& log = logs_[address];
  log.of_block[release.instance].emplace_back(log.count++, release);
  any_ = true;
}

std::size_t Releases::count(std::uintptr_t address) const {
  if (!any_) return 0;
  const std::lock_guard lock(mutex_);
  const auto found = logs_.find(address);
  return found == logs_.end() ? 0 : found->second.count;
}

bool Releases::covers(std::uintptr_t address, std::size_t count, std::uint32_t instance,
                      std::uint32_t thread, std::uint32_t phase) const {
  const std::lock_guard lock(mutex_);
  const auto log = logs_.find(address);
  if (log == logs_.end()) return false;
  const auto block = log->second.of_block.find(instance);
  if (block == log->second.of_block.end()) return false;
  for (const auto& [position, release] : block->second) {
    if (position >= count) break;
    if (phase < release.block_phase) return true;
    if (thread == release.thread && phase < release.fence_phase) return true;
    if (thread / warp_size == release.thread / warp_size &&
        phase < release.seen[thread % warp_size]) {
      return true;
    }
  }
  return false;
}

}  // namespace parlab::emulation
