#include "counters/pairs.hpp"

#include <algorithm>
#include <cmath>

#include "counters/ncu.hpp"

namespace parlab {
namespace {

struct ComparedCounter {
  const char *counter, *and_too;
};
constexpr ComparedCounter compared[] = {
    {"global_load_requests", nullptr},
    {"global_load_sectors", nullptr},
    {"global_store_requests", nullptr},
    {"global_store_sectors", nullptr},
    {"global_atomic_requests", "global_reduction_requests"},
    {"shared_load_requests", nullptr},
    {"shared_load_wavefronts", nullptr},
    {"shared_store_requests", nullptr},
    {"shared_store_wavefronts", nullptr}};

double count_of(const Counters& counters, const char* name) {
  const auto found = name == nullptr ? counters.end() : counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

}  // namespace

double CounterPair::apart() const {
  if (emulated == on_gpu) return 0;
  return on_gpu == 0 ? 1 : std::min(1.0, std::abs(emulated / on_gpu - 1));
}

std::vector<CounterPair> pairs_of(const Counters& emulated,
                                  const Counters& on_gpu) {
  std::vector<CounterPair> pairs;
  for (const auto& [counter, and_too] : compared) {
    const CounterPair pair{
        .counter = counter,
        .emulated = count_of(emulated, counter) + count_of(emulated, and_too),
        .on_gpu = count_of(on_gpu, counter) + count_of(on_gpu, and_too)};
    if (pair.emulated != 0 || pair.on_gpu != 0) pairs.push_back(pair);
  }
  return pairs;
}

GpuShape shape_of_gpu(const Record& record) {
  GpuShape shape{.warps = record.launch.active_warps};
  if (const double count = count_of(record.counters, "multiprocessors");
      count > 0)
    shape.multiprocessors = static_cast<int>(count);
  if (const double bytes = count_of(record.counters, "l2_bytes"); bytes > 0)
    shape.l2_bytes = static_cast<std::size_t>(bytes);
  return shape;
}

}  // namespace parlab
