#include "places/emulation/emulated_gpu.hpp"
#include "core/affinity.hpp"
#include "facts/cause.hpp"
#include "gpu/streams.hpp"  // whose Block is another than that of emulation

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

std::uint64_t emulation_seed() {
  const char* const text = std::getenv("PARLAB_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
}

void require_emulated(const Variant& variant) {
  if (variant.hardware.empty()) return;
  throw PointError(Verdict::not_supported,
                   {.cause = Cause::hardware_not_emulated,
                    .arguments = {variant.full_name(), variant.hardware}});
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
      return {.cause = Cause::scratch_not_zero, .arguments = {each->name}};
    }
  }
  return {};
}

void* EmulatedGpu::scratch_bytes(std::size_t bytes, bool zeroed) {
  const auto name = "scratch " + std::to_string(scratch_.size() + 1);
  const Arena::Access access(machine_->arena, false);
  scratch_.push_back(
      allocate(name, bytes, zeroed ? Kind::zeroed : Kind::output));
  scratch_.back()->poison();
  if (zeroed) {
    std::memset(scratch_.back()->data, 0, bytes);
    scratch_.back()->settle(scratch_.back()->data, bytes);
  }
  return scratch_.back()->data;
}

void EmulatedGpu::copy(void* to, const void* from, std::size_t bytes) {
  start({}, nullptr, [=] { checked_copy(to, from, bytes); }, {});
}

void EmulatedGpu::clear(void* data, std::size_t bytes) {
  start({}, nullptr, [=] { checked_clear(data, bytes); }, {});
}

void EmulatedGpu::start(const LaunchConfig& config, const void* kernel,
                        std::function<void()> thread,
                        std::span<const std::byte> arguments) {
  if (kernel != nullptr) launches_.push_back({config, kernel});
  const auto blocks =
      static_cast<std::size_t>(config.grid.x * config.grid.y * config.grid.z);
  // Compute capability 9.0: CUDA C++ Programming Guide,
  // technical specifications.
  refuse_impossible(config,
                    {.grid = {2147483647, 65535, 65535},
                     .block = {1024, 1024, 64},
                     .shared_bytes = max_shared_bytes()},
                    max_threads);
  if (const std::size_t most = 2 * multiprocessors();
      config.cooperative && blocks > most) {
    throw PointError(Verdict::launch_failed,
                     {.cause = Cause::grid_not_resident,
                      .arguments = {static_cast<std::int64_t>(most)}});
  }
  Launch launch{.kernel = kernel,
                .thread = std::move(thread),
                .arguments = arguments,
                .grid = dim(config.grid),
                .block = dim(config.block),
                .shared_bytes = config.shared_bytes,
                .overlaps = config.overlaps,
                .order = order_,
                .seed = seed_,
                .arena = &machine_->arena,
                .device = device_,
                .deadline = std::chrono::steady_clock::now() + time_limit_,
                .first_instance = machine_->instances,
                .ordering = ordering_,
                .blocks = std::vector<std::uint32_t>(blocks)};
  std::iota(launch.blocks.begin(), launch.blocks.end(), 0u);
  arrange(launch.blocks, order_, seed_);
  if (config.cooperative) launch.barrier.emplace(blocks);

  // All blocks of a cooperative launch are alive at once; a small
  // launch is not worth a second core. Stacks need two mappings each,
  // of which a process has 65530.
  const auto threads =
      blocks * launch.block.x * launch.block.y * launch.block.z;
  const auto cores = std::clamp<std::size_t>(affinity().size(), 1, 16);
  const auto wanted = config.cooperative
                          ? blocks
                          : std::min({blocks, threads / 2048 + 1, cores});
  if (machine_->workers.size() < wanted) {
    // Blocks that wait for one that has no thread would wait for ever.
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
  if (launch.failed) throw launch.failure->value();
}

}  // namespace parlab
