#include "places/emulation/emulated_gpu.hpp"
#include "core/at_end.hpp"
#include "core/parallel.hpp"
#include "facts/cause.hpp"
#include "gpu/streams.hpp"  // its Block differs from that of emulation

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <thread>

#include "machine/pinning.hpp"

namespace parlab {

using namespace emulation;

namespace {

dim3 dim(const Extent& e) {
  return {static_cast<unsigned>(e.x), static_cast<unsigned>(e.y),
          static_cast<unsigned>(e.z)};
}

}  // namespace

EmulatedMachine::EmulatedMachine() : EmulatedMachine(1) {
  if (const char* const text = std::getenv("PARLAB_SEED"))
    seed = std::strtoull(text, nullptr, 0);
}

LaunchShape EmulatedGpu::launch_shape() const {
  LaunchShape shape;
  if (launches_.empty()) return shape;
  const auto& [grid, block, shared, cooperative, overlaps] =
      launches_.back().config;
  shape.grid = {grid.x, grid.y, grid.z};
  shape.block = {block.x, block.y, block.z};
  shape.shared_bytes = static_cast<std::int64_t>(shared);
  shape.launches = static_cast<int>(launches_.size());
  return shape;
}

Detail EmulatedGpu::scratch_damage() const {
  for (const auto& each : scratch_) {
    const auto nonzero = [](std::byte byte) { return byte != std::byte{0}; };
    if (each->kind == Kind::zeroed &&
        std::any_of(each->data, each->data + each->bytes, nonzero)) {
      return because(Cause::scratch_not_zero, each->name);
    }
  }
  return {};
}

void* EmulatedGpu::scratch_bytes(std::size_t bytes, bool zeroed) {
  const auto name = "scratch " + std::to_string(scratch_.size() + 1);
  const Arena::Access access(machine_->arena);
  scratch_.push_back(
      allocate(name, bytes, zeroed ? Kind::zeroed : Kind::output));
  if (zeroed) {
    std::memset(scratch_.back()->data, 0, bytes);
    scratch_.back()->settle(scratch_.back()->data, bytes);
  }
  return scratch_.back()->data;
}

// Copies between two arrays, or between one and host memory.
void EmulatedGpu::copy(void* to, const void* from, std::size_t bytes) {
  if (array_of(to) != nullptr && array_of(from) != nullptr) {
    start({}, nullptr, [=] { checked_copy(to, from, bytes); }, {});
    return;
  }
  std::vector<std::byte> between(bytes);
  if (array_of(from) == nullptr) std::memcpy(between.data(), from, bytes);
  const auto move = [&, data = between.data()] {
    if (array_of(from) != nullptr) {
      check_access(from, bytes, false);
      std::memcpy(data, from, bytes);
    }
    if (array_of(to) != nullptr) {
      check_access(to, bytes, true);
      std::memcpy(to, data, bytes);
    }
  };
  start({}, nullptr, move, {});
  if (array_of(to) == nullptr) std::memcpy(to, between.data(), bytes);
}

void EmulatedGpu::fill(void* data, int value, std::size_t bytes) {
  const auto set = [=] {
    if (bytes == 0) return;
    check_access(data, bytes, true);
    std::memset(data, value, bytes);
  };
  start({}, nullptr, set, {});
}

namespace {
thread_local EmulatedGpu* gpu_at_work = nullptr;
}

EmulatedGpu* EmulatedGpu::at_work() {
  return gpu_at_work;
}

void EmulatedGpu::run_host_code(const std::function<void()>& code) {
  auto* const before = std::exchange(gpu_at_work, this);
  const AtEnd left([=] { gpu_at_work = before; });
  emulation::run_host_code(code, machine_->arena);
}

void* EmulatedGpu::own_memory(const std::string& name, std::size_t bytes,
                              bool managed) {
  // Makes room by forgetting memory that was freed long ago.
  constexpr std::size_t most = 32;
  if (own_.size() >= most) {
    const auto freed = std::ranges::find_if(
        own_, [](const auto& memory) { return memory->freed; });
    if (freed != own_.end()) own_.erase(freed);
  }
  const Arena::Access access(machine_->arena);
  own_.push_back(
      allocate(name, std::max<std::size_t>(bytes, 1), emulation::Kind::output));
  auto& memory = *own_.back();
  memory.managed = managed;
  if (managed) memory.settle(memory.data, memory.bytes);
  return memory.data;
}

bool EmulatedGpu::free_own_memory(void* address) {
  for (const auto& memory : own_) {
    if (memory->data == address) return !std::exchange(memory->freed, true);
  }
  return false;
}

void EmulatedGpu::launch_own(const LaunchConfig& config, const void* kernel,
                             const std::function<void()>& thread,
                             std::span<const std::byte> arguments) {
  constexpr std::size_t most = 48 * 1024;
  if (config.shared_bytes > max_shared_bytes()) {
    throw PointError(Verdict::launch_failed, Cause::shared_memory_short,
                     config.shared_bytes, max_shared_bytes());
  }
  if (config.shared_bytes > most && !much_shared_memory_) {
    throw PointError(Verdict::launch_failed, Cause::shared_memory_not_allowed,
                     config.shared_bytes);
  }
  // The host's writes to managed memory come before this launch.
  for (const auto& memory : own_) {
    if (memory->managed && !memory->freed)
      memory->settle(memory->data, memory->bytes);
  }
  start(config, kernel, thread, arguments);
}

int EmulatedGpu::occupancy(const void*, int threads, std::size_t shared_bytes) {
  if (threads < 1 || threads > static_cast<int>(max_threads) ||
      shared_bytes > max_shared_bytes())
    return 0;
  const int warps = machine_->shape.warps;
  return warps == 0
             ? 2
             : std::max(1, warps * static_cast<int>(warp_size) / threads);
}

void EmulatedGpu::start(const LaunchConfig& config, const void* kernel,
                        std::function<void()> thread,
                        std::span<const std::byte> arguments) {
  if (kernel != nullptr) launches_.push_back({config, kernel});
  if (streams_ != nullptr) streams_->started(machine_->instances, stream_);
  int stream = stream_;
  if (own_streams_) stream = own_streams_->begin(own_stream_);
  const auto blocks =
      static_cast<std::size_t>(config.grid.x * config.grid.y * config.grid.z);
  // Limits of compute capability 9.0: CUDA C++ Programming Guide, technical
  // specifications.
  refuse_impossible(config,
                    {.grid = {2147483647, 65535, 65535},
                     .block = {1024, 1024, 64},
                     .shared_bytes = max_shared_bytes()},
                    max_threads);
  const auto in_block =
      static_cast<int>(config.block.x * config.block.y * config.block.z);
  // A kernel that asks how many fit is told few. One that does not may launch
  // what fits a T4, which has 40 multiprocessors of 1024 threads.
  const int most = std::max(occupancy(kernel, in_block, 0) * multiprocessors(),
                            40 * (1024 / in_block));
  if (config.cooperative && blocks > static_cast<std::size_t>(most)) {
    throw PointError(Verdict::launch_failed, Cause::grid_not_resident, most);
  }
  // Blocks with little to do cost more than the work that was expected.
  constexpr std::chrono::microseconds slowest_thread{10};
  const auto threads = blocks * static_cast<std::size_t>(in_block);
  const auto now = std::chrono::steady_clock::now();
  Launch launch{
      .kernel = kernel,
      .thread = std::move(thread),
      .arguments = arguments.data(),
      .argument_bytes = arguments.size(),
      .grid = dim(config.grid),
      .block = dim(config.block),
      .shared_bytes = config.shared_bytes,
      .overlaps = config.overlaps,
      .order = machine_->order,
      .seed = machine_->seed,
      .arena = &machine_->arena,
      .device = device_,
      .begun = now,
      .deadline = now + std::min<std::chrono::microseconds>(
                            machine_->time_limit + threads * slowest_thread,
                            machine_->at_most),
      .first_instance = machine_->instances,
      .streams = own_streams_ ? &own_streams_->order() : streams_,
      .stream = stream,
      .counts = kernel != nullptr ? machine_->counts.get() : nullptr,
      .blocks = std::vector<std::uint32_t>(blocks)};
  std::iota(launch.blocks.begin(), launch.blocks.end(), 0u);
  arrange(launch.blocks, launch.order, launch.seed);
  if (config.cooperative) launch.barrier.emplace(blocks);

  // All blocks of a cooperative launch are alive at once. A small launch is not
  // worth a second core. Each stack needs two mappings, and a process has at
  // most 65530.
  constexpr std::size_t most_stacks = 30'000, stack_bytes = 64 * 1024;
  if (config.cooperative && threads > most_stacks) {
    throw PointError(Verdict::not_supported, Cause::emulation_memory_short,
                     std::to_string(threads) + " threads at once",
                     threads * stack_bytes);
  }
  const auto cores = std::clamp<std::size_t>(affinity().size(), 1, 16);
  const auto wanted = config.cooperative
                          ? blocks
                          : std::min({blocks, threads / 2048 + 1, cores});
  if (machine_->workers.size() < wanted) {
    // Without a thread for each block, blocks would wait for missing ones for
    // ever.
    if (const auto why = why_no_threads(static_cast<int>(wanted)))
      throw PointError(Verdict::no_device, why);
    machine_->workers.resize(wanted);
  }
  const Arena::Access access(machine_->arena, false);
  const CatchCrashes catching;
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < wanted; ++i) {
    others.emplace_back(&emulation::Block::run, &machine_->workers[i],
                        std::ref(launch));
  }
  machine_->workers[0].run(launch);
  others.clear();
  machine_->instances += static_cast<std::uint32_t>(blocks);
  // The host waits for copies on the default stream.
  if (own_streams_ && own_stream_ == 0 && kernel == nullptr)
    own_streams_->host_waits_for_stream(0);
  if (launch.failed) throw launch.failure->value();
  if (const Detail* const race = launch.doubts.left())
    throw PointError(Verdict::wrong_result, *race);
}

}  // namespace parlab
