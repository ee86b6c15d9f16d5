#include "emulation/emulated_gpu.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>

#include "core/types.hpp"
#include "emulation/faults.hpp"

namespace parlab {
namespace {

using emulation::Allocation;

std::uint64_t seed_of_environment() {
  const char* const text = std::getenv("PARLAB_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
}

// "dmv_naive<float>": without the parameters and what a student did not write.
std::string kernel_name(const void* kernel) {
  Dl_info info{};
  if (dladdr(kernel, &info) == 0 || info.dli_sname == nullptr) return "(unnamed)";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? demangled.get() : info.dli_sname;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (name[i] == '(' && depth == 0 && i > 0) {
      name.erase(i);
      break;
    }
  }
  return name.starts_with("void ") ? name.substr(5) : name;
}

// Limits of compute capability 9.0: CUDA C++ Programming Guide, technical specifications.
void check_config(const LaunchConfig& config, const std::string& kernel) {
  const auto& [grid, block, shared, cooperative] = config;
  const auto refuse = [&](Verdict verdict, const std::string& what) {
    throw PointError(verdict, "cannot launch " + kernel + ": " + what);
  };
  const auto extent = [](const Extent& e) {
    return std::to_string(e.x) + "x" + std::to_string(e.y) + "x" + std::to_string(e.z);
  };
  if (std::min({grid.x, grid.y, grid.z}) < 1) {
    refuse(Verdict::launch_failed, "a grid of " + extent(grid) + " blocks");
  }
  if (std::min({block.x, block.y, block.z}) < 1) {
    refuse(Verdict::launch_failed, "a block of " + extent(block) + " threads");
  }
  if (grid.x > 2147483647 || grid.y > 65535 || grid.z > 65535) {
    refuse(Verdict::not_supported,
           "a grid of " + extent(grid) + " blocks; the limit is 2147483647x65535x65535");
  }
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || block.x * block.y * block.z > 1024) {
    refuse(Verdict::not_supported, "a block of " + extent(block) + " threads; the limit is 1024");
  }
  if (shared > emulation::max_shared_bytes) {
    refuse(Verdict::not_supported, std::to_string(shared) +
                                       " bytes of shared memory a block; the limit is " +
                                       std::to_string(emulation::max_shared_bytes));
  }
}

}  // namespace

EmulatedGpu::EmulatedGpu() : EmulatedGpu(seed_of_environment()) {}

EmulatedGpu::EmulatedGpu(std::uint64_t seed, emulation::Order order) : seed_(seed), order_(order) {}

void EmulatedGpu::set_order(std::uint64_t seed, emulation::Order order) {
  seed_ = seed;
  order_ = order;
}

Allocation& EmulatedGpu::allocate(const std::string& name, std::size_t bytes, bool read_only) {
  return arena_.allocate(name, bytes, read_only);
}

void EmulatedGpu::free_scratch() {
  for (const auto& each : scratch_) arena_.free(*each.memory);
  scratch_.clear();
}

std::string EmulatedGpu::scratch_damage() const {
  for (const auto& [memory, zeroed] : scratch_) {
    if (zeroed && std::any_of(memory->data, memory->data + memory->bytes,
                              [](std::byte byte) { return byte != std::byte{0}; })) {
      return "left " + memory->name + " other than zero";
    }
  }
  return "";
}

void* EmulatedGpu::scratch_bytes(std::size_t bytes, bool zeroed) {
  const auto index = next_scratch_++;
  if (index < scratch_.size() &&
      (scratch_[index].memory->bytes != bytes || scratch_[index].zeroed != zeroed)) {
    // Another call than before: its scratch memory starts anew from here.
    for (auto i = index; i < scratch_.size(); ++i) arena_.free(*scratch_[i].memory);
    scratch_.resize(index);
  }
  if (index == scratch_.size()) {
    const auto name = (zeroed ? "zeroed scratch " : "scratch ") + std::to_string(index + 1);
    scratch_.push_back({&arena_.allocate(name, bytes, false), zeroed});
    if (zeroed) scratch_[index].memory->mark_written(0, bytes);
  }
  Allocation& memory = *scratch_[index].memory;
  if (!zeroed) {
    memory.forget_writes();
    std::memset(memory.data, 0xff, bytes);
  }
  return memory.data;
}

Allocation& EmulatedGpu::checked(void* data, std::size_t bytes, const char* what) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  Allocation* const owner = arena_.contains(address) ? arena_.owner(address) : nullptr;
  if (owner == nullptr || !owner->contains(address, bytes)) {
    throw PointError(Verdict::launch_failed, std::string(what) + " of " + std::to_string(bytes) +
                                                 " bytes is not within one device array");
  }
  return *owner;
}

void EmulatedGpu::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  Allocation& target = checked(to, bytes, "a copy to");
  checked(const_cast<void*>(from), bytes, "a copy from");
  if (target.read_only) {
    throw PointError(Verdict::wrong_result, "a copy changes " + target.name + ", an input");
  }
  std::memmove(to, from, bytes);
  target.mark_written(static_cast<std::size_t>(static_cast<std::byte*>(to) - target.data), bytes);
}

void EmulatedGpu::clear(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  Allocation& target = checked(data, bytes, "a fill");
  if (target.read_only) {
    throw PointError(Verdict::wrong_result, "a fill changes " + target.name + ", an input");
  }
  std::memset(data, 0, bytes);
  target.mark_written(static_cast<std::size_t>(static_cast<std::byte*>(data) - target.data), bytes);
}

int EmulatedGpu::occupancy(const void*, int threads, std::size_t shared_bytes) {
  if (threads < 1 || threads > 1024 || shared_bytes > emulation::max_shared_bytes) return 0;
  return 2;
}

void EmulatedGpu::start(const LaunchConfig& config, const void* kernel,
                        std::function<void()> thread) {
  emulation::Launch launch;
  launch.kernel = kernel_name(kernel);
  check_config(config, launch.kernel);
  const auto extent = [](const Extent& e) {
    return dim3(static_cast<unsigned>(e.x), static_cast<unsigned>(e.y), static_cast<unsigned>(e.z));
  };
  launch.grid = extent(config.grid);
  launch.block = extent(config.block);
  launch.blocks = static_cast<std::uint64_t>(config.grid.x * config.grid.y * config.grid.z);
  launch.shared_bytes = config.shared_bytes;
  launch.cooperative = config.cooperative;
  const auto resident = static_cast<std::uint64_t>(
      multiprocessors() * occupancy(kernel, static_cast<int>(launch.block.x), config.shared_bytes));
  if (config.cooperative && launch.blocks > resident) {
    throw PointError(Verdict::launch_failed,
                     "cannot launch " + launch.kernel + ": a cooperative launch of " +
                         std::to_string(launch.blocks) + " blocks, but at most " +
                         std::to_string(resident) + " are resident (see resident_blocks())");
  }
  launch.thread = std::move(thread);
  launch.order = order_;
  launch.seed = seed_;
  launch.arena = &arena_;
  // The kernel's arguments lie in the frame of Gpu::launch, above this one.
  launch.arguments_begin = reinterpret_cast<std::uintptr_t>(&launch);
  launch.arguments_end = launch.arguments_begin + 16384;
  launch.deadline = std::chrono::steady_clock::now() +
                    std::chrono::milliseconds(static_cast<long>(time_limit_s_ * 1000));
  launch.base = emulation::reserve_instances(launch.blocks);
  launch.block_order.resize(launch.blocks);
  std::iota(launch.block_order.begin(), launch.block_order.end(), 0u);
  if (order_ == emulation::Order::descending) {
    std::reverse(launch.block_order.begin(), launch.block_order.end());
  } else if (order_ == emulation::Order::shuffled) {
    std::shuffle(launch.block_order.begin(), launch.block_order.end(), std::mt19937_64(seed_));
  }
  launch.barrier.start(launch.blocks);
  execute(launch);
  if (const auto failure = launch.failure()) throw PointError(failure->verdict, failure->text);
}

void EmulatedGpu::execute(emulation::Launch& launch) {
  const auto wanted = launch.cooperative
                          ? launch.blocks
                          : std::min<std::uint64_t>(
                                std::max(1u, std::thread::hardware_concurrency()), launch.blocks);
  while (workers_.size() < wanted) workers_.push_back(std::make_unique<emulation::Worker>());
  const emulation::FaultHandler handler;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wanted; ++i) {
    threads.emplace_back([&launch, &worker = *workers_[i]] {
      const emulation::FaultStack stack;
      try {
        worker.run(launch);
      } catch (const PointError& error) {
        launch.fail(error.verdict, error.what());
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace parlab
