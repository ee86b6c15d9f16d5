#include "facts/cause.hpp"
#include "places/cuda/link_ceilings.hpp"

#include <algorithm>

namespace parlab {
namespace {

// Large enough to make the start-up time negligible.
constexpr std::size_t bytes = std::size_t{1} << 30;
constexpr int repetitions = 5;

// Less pinned memory, because it takes long to allocate.
constexpr std::size_t pinned_bytes = std::size_t{256} << 20;

// The best time, because a ceiling is what can be reached, not what is usual.
double best_seconds(GpuTimer& timer, const std::function<void()>& run) {
  // NCCL's first call sets it up, which must not happen behind a closed gate
  run();
  timer.run_held([] {}, [] {});
  const auto batch = timer.time({.run = run}, repetitions, Cache::hot);
  return *std::min_element(batch.seconds.begin(), batch.seconds.end());
}

}  // namespace

void measure_links(std::map<std::string, double>& links, CudaGpus& team,
                   GpuTimer& timer) {
  if (team.count() < 2) return;
  std::vector<DeviceMemory> memory;
  OnEach<float> from, to;
  for (int i = 0; i < team.count(); ++i) {
    auto& gpu = team[i];
    for (auto* data : {&from, &to}) {
      memory.push_back(device_memory(bytes, "measuring the links"));
      data->push_back(reinterpret_cast<float*>(memory.back().get()));
      gpu.clear(data->back(), bytes);
    }
  }
  constexpr auto count = static_cast<std::int64_t>(bytes / sizeof(float));
  const auto keep = [&](const std::string& link, double moved,
                        const std::function<void()>& run) {
    links[link] = std::max(links[link], moved / best_seconds(timer, run));
  };
  constexpr auto whole = static_cast<double>(bytes);
  if (team.count() == 2) {
    const auto there = team.move(1, to[1], 0, from[0], count);
    const auto back = team.move(0, to[0], 1, from[1], count);
    keep("one way", whole, [&] { team.exchange({there}); });
    keep("both ways", 2 * whole, [&] { team.exchange({there, back}); });
  }
  try {
    keep("all-reduce over " + std::to_string(team.count()), whole,
         [&] { team.all_reduce(from, to, count); });
    // variants that need NCCL report that it is missing
  } catch (const LibraryMissing&) {
    links.erase("all-reduce over " + std::to_string(team.count()));
  }
}

std::map<std::string, double> measure_host_link(CudaStreams& streams,
                                                CudaGpu& gpu, GpuTimer& timer) {
  constexpr auto what_for = "measuring the link to the host";
  const auto sent = pinned_memory(pinned_bytes, what_for),
             got = pinned_memory(pinned_bytes, what_for);
  const auto here = device_memory(pinned_bytes, what_for),
             there = device_memory(pinned_bytes, what_for);
  gpu.clear(there.get(), pinned_bytes);
  constexpr auto count = static_cast<std::int64_t>(pinned_bytes);
  const auto rate = [&](double moved, bool to_device, bool to_host) {
    const auto run = [&] {
      streams.begin();
      if (to_device) streams.to_device(0, here.get(), sent.get(), count);
      if (to_host) streams.to_host(1, got.get(), there.get(), count);
      streams.end();
    };
    return moved / best_seconds(timer, run);
  };
  constexpr auto whole = static_cast<double>(pinned_bytes);
  return {{link_from_host, rate(whole, true, false)},
          {link_to_host, rate(whole, false, true)},
          {link_from_and_to_host, rate(2 * whole, true, true)}};
}

}  // namespace parlab
