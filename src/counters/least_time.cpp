#include "counters/least_time.hpp"

#include <algorithm>
#include <map>

namespace parlab {
namespace {

constexpr double bytes_of_sector = 32;
// From compute capability 8.6 on, a multiprocessor makes 128 fused products of
// float and one pass over its shared memory per cycle: CUDA C++ Programming
// Guide, Arithmetic Instructions.
constexpr double flops_per_wavefront = 2 * 128;

void add(std::vector<LeastTime>& all, const std::string& by,
         const Quantity& count, double per_second, Unit unit) {
  if (count.value > 0 && per_second > 0) {
    all.push_back({by, count, {per_second, unit}, count.value / per_second});
  }
}

}  // namespace

std::vector<LeastTime> least_times(const Counted& counted,
                                   const Ceilings& ceilings) {
  double from_l2 = 0, wavefronts = 0, once = 0;
  std::map<std::string, std::int64_t> of_array;
  for (const auto& line : counted.lines) {
    from_l2 += static_cast<double>(line.from_l2);
    if (is_shared(line.access)) wavefronts += static_cast<double>(line.moved);
    auto& most = of_array[line.array];
    most = std::max(most, line.different);
  }
  for (const auto& [array, sectors] : of_array)
    once += static_cast<double>(sectors);

  std::vector<LeastTime> all;
  const auto& curve = ceilings.read;
  if (!curve.empty()) {
    const auto best =
        std::ranges::max_element(curve, {}, [](auto& at) { return at.second; });
    add(all, "L2 transactions", {from_l2 * bytes_of_sector, Unit::byte},
        best->second, Unit::byte_per_second);
    add(all, "what comes from memory when caches are cold",
        {once * bytes_of_sector, Unit::byte}, curve.back().second,
        Unit::byte_per_second);
  }
  if (const auto fma = ceilings.units.find("fma float");
      fma != ceilings.units.end()) {
    add(all, "wavefronts of shared memory", {wavefronts, Unit::none},
        fma->second / flops_per_wavefront, Unit::operation_per_second);
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &LeastTime::seconds);
  return all;
}

std::vector<Block> least_time(const Counted& counted, const RecordedGpu& gpu) {
  const auto all = least_times(counted, gpu.ceilings);
  if (all.empty()) return {};
  Table table{.key = "least",
              .columns = {{"by", "by"},
                          {"count", "count", true},
                          {"per_second", "at most", true},
                          {"least_time_s", "at least", true},
                          {"machine"}}};
  for (const auto& [by, count, per_second, seconds] : all) {
    table.rows.push_back(row_of(
        {by, count, per_second, Quantity{seconds, Unit::second}, gpu.machine}));
  }
  return {Paragraph{"at least " +
                    Text(Quantity{all.front().seconds, Unit::second}) + " on " +
                    gpu.machine + ", by " + all.front().by +
                    " (that L1 catches what a block reads again is an "
                    "estimate)"},
          table};
}

}  // namespace parlab
