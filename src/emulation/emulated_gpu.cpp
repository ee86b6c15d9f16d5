#include "emulation/emulated_gpu.hpp"

#include <boost/stacktrace/frame.hpp>
#include <cstdlib>
#include <numeric>
#include <thread>

namespace parlab {

using namespace emulation;

namespace {

// "dmv_naive<float>": without the parameters and what a student did not write.
std::string kernel_name(const void* kernel) {
  const std::string name = boost::stacktrace::frame(kernel).name();
  const auto begin = name.starts_with("void ") ? 5 : 0;
  return name.substr(begin, name.rfind('(') - begin);
}

std::string text(const Extent& e) {
  return std::to_string(e.x) + "x" + std::to_string(e.y) + "x" + std::to_string(e.z);
}

// Limits of compute capability 9.0: CUDA C++ Programming Guide, technical specifications.
void check_config(const LaunchConfig& config, const std::string& kernel, std::int64_t resident) {
  const auto& [grid, block, shared, cooperative] = config;
  const auto refuse = [&](Verdict verdict, const std::string& limit) {
    throw PointError(verdict, "cannot launch " + kernel + " in " + text(grid) + " blocks of " +
                                  text(block) + " threads and " + std::to_string(shared) +
                                  " bytes of shared memory: " + limit);
  };
  if (std::min({grid.x, grid.y, grid.z, block.x, block.y, block.z}) < 1) {
    refuse(Verdict::launch_failed, "no extent may be less than 1");
  }
  if (grid.x > 2147483647 || grid.y > 65535 || grid.z > 65535 || block.x > 1024 || block.y > 1024 ||
      block.z > 64 || block.x * block.y * block.z > 1024 || shared > max_shared_bytes) {
    refuse(Verdict::not_supported,
           "the limits are 2147483647x65535x65535, 1024 (1024x1024x64) and 232448");
  }
  if (cooperative && grid.x * grid.y * grid.z > resident) {
    refuse(Verdict::launch_failed, "at most " + std::to_string(resident) +
                                       " are resident together (see resident_blocks())");
  }
}

dim3 dim(const Extent& e) {
  return {static_cast<unsigned>(e.x), static_cast<unsigned>(e.y), static_cast<unsigned>(e.z)};
}

}  // namespace

std::uint64_t emulation_seed() {
  const char* const text = std::getenv("PARLAB_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 0);
}

std::string EmulatedGpu::scratch_damage() const {
  for (const auto& each : scratch_) {
    const auto nonzero = [](std::byte byte) { return byte != std::byte{0}; };
    if (each->kind == Kind::zeroed && std::any_of(each->data, each->data + each->bytes, nonzero)) {
      return "left " + each->name + " other than zero";
    }
  }
  return "";
}

void* EmulatedGpu::scratch_bytes(std::size_t bytes, bool zeroed) {
  const auto name = "scratch " + std::to_string(scratch_.size() + 1);
  scratch_.push_back(allocate(name, bytes, zeroed ? Kind::zeroed : Kind::output));
  if (zeroed) {
    clear(scratch_.back()->data, bytes);
  } else {
    scratch_.back()->poison();
  }
  return scratch_.back()->data;
}

void EmulatedGpu::check_range(const void* data, std::size_t bytes, const char* what, bool write) {
  if (bytes == 0) return;
  auto* const array = arena_.owner(data);
  if (array == nullptr || !array->contains(data, bytes)) {
    throw PointError(Verdict::launch_failed, std::string(what) + " of " + std::to_string(bytes) +
                                                 " bytes is not within one device array");
  }
  if (!write) return;
  if (array->kind == Kind::input) {
    throw PointError(Verdict::wrong_result,
                     std::string(what) + " changes " + array->name + ", an input");
  }
  array->mark_written(data, bytes);
}

void EmulatedGpu::copy(void* to, const void* from, std::size_t bytes) {
  check_range(to, bytes, "a copy", true);
  write_constant(to, from, bytes);
}

void EmulatedGpu::write_constant(void* to, const void* from, std::size_t bytes) {
  check_range(from, bytes, "a copy", false);
  std::memmove(to, from, bytes);
}

void EmulatedGpu::clear(void* data, std::size_t bytes) {
  check_range(data, bytes, "a fill", true);
  std::memset(data, 0, bytes);
}

void EmulatedGpu::start(const LaunchConfig& config, const void* kernel,
                        std::function<void()> thread) {
  const auto name = kernel_name(kernel);
  check_config(config, name, multiprocessors() * 2);
  const auto blocks = static_cast<std::size_t>(config.grid.x * config.grid.y * config.grid.z);
  const std::chrono::duration<double> time_limit(time_limit_s_);
  Launch launch{.kernel = name,
                .thread = std::move(thread),
                .grid = dim(config.grid),
                .block = dim(config.block),
                .order = order_,
                .seed = seed_,
                .arena = &arena_,
                .deadline = std::chrono::steady_clock::now() +
                            std::chrono::duration_cast<std::chrono::milliseconds>(time_limit),
                .first_instance = instances_,
                .blocks = std::vector<std::uint32_t>(blocks)};
  std::iota(launch.blocks.begin(), launch.blocks.end(), 0u);
  arrange(launch.blocks, order_, seed_);
  if (config.cooperative) launch.barrier.emplace(blocks);

  // All blocks of a cooperative launch are alive at once; a small launch is not worth a second
  // core. Stacks need two mappings each, of which a process has 65530.
  const auto threads = blocks * launch.block.x * launch.block.y * launch.block.z;
  const auto cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
  const auto wanted = config.cooperative ? blocks : std::min({blocks, threads / 2048 + 1, cores});
  while (workers_.size() < wanted) workers_.emplace_back();
  for (std::size_t i = 0; i < wanted; ++i) {
    workers_[i].dynamic_shared =
        allocate("dynamic shared memory", config.shared_bytes, Kind::shared);
  }
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < wanted; ++i) {
      others.emplace_back([&, i] { workers_[i].run(launch); });
    }
    workers_[0].run(launch);
  }
  instances_ += static_cast<std::uint32_t>(blocks) + launch.arrivals;
  if (launch.failure) throw *launch.failure;
}

}  // namespace parlab
