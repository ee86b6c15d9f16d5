#include "machine/roof.hpp"

#include <algorithm>
#include <cmath>

namespace parlab {
namespace {

using Curve = std::vector<std::pair<double, double>>;

double interpolate(const Curve& curve, double footprint) {
  const auto above = std::ranges::lower_bound(curve, std::pair{footprint, 0.0});
  if (above == curve.begin()) return curve.front().second;
  if (above == curve.end()) return curve.back().second;
  const auto below = above - 1;
  const double share = std::log(footprint / below->first) /
                       std::log(above->first / below->first);
  return below->second + share * (above->second - below->second);
}

double bandwidth(const Curve& curve, double footprint, Cache cache) {
  if (curve.empty()) return 0;
  if (cache == Cache::cold) return curve.back().second;
  // If data twice as large as a cache is read repeatedly, up to half of it can
  // be found in the cache.
  double best = interpolate(curve, footprint / 2);
  for (const auto& [bytes, rate] : curve) {
    if (bytes >= footprint / 2) best = std::max(best, rate);
  }
  return best;
}

double seconds_over(const Ceilings& ceilings, const char* name, double bytes) {
  const auto link = ceilings.links.find(name);
  return link == ceilings.links.end() || link->second <= 0
             ? 0
             : bytes / link->second;
}

}  // namespace

double attainable_bandwidth(const Ceilings& ceilings, const Work& work,
                            Cache cache) {
  const double copy = bandwidth(ceilings.copy, work.bytes, cache);
  const double read = bandwidth(ceilings.read, work.bytes, cache);
  if (read == 0 || copy == 0 || work.bytes <= 0) return read;
  // Each byte written is paired with one byte read; together they move at the
  // copy rate.
  const double copied = std::clamp(2 * work.written / work.bytes, 0.0, 1.0);
  return 1 / (copied / copy + (1 - copied) / read);
}

double roof_seconds(const Ceilings& ceilings, const Work& work,
                    const std::string& unit, Cache cache) {
  double seconds = ceilings.launch_s;
  const double rate = attainable_bandwidth(ceilings, work, cache);
  if (rate > 0) seconds = std::max(seconds, work.bytes / rate);
  const auto peak = ceilings.units.find(unit);
  if (peak != ceilings.units.end() && peak->second > 0)
    seconds = std::max(seconds, work.flops / peak->second);
  return seconds;
}

Work share_of(const Work& work, int gpus) {
  return {work.flops / gpus, work.bytes / gpus, work.written / gpus};
}

double link_seconds(const Ceilings& ceilings, double bytes) {
  return seconds_over(ceilings, link_between_gpus, bytes);
}

double host_link_seconds(const Ceilings& ceilings, double from_host,
                         double to_host) {
  return std::max(
      {seconds_over(ceilings, link_from_host, from_host),
       seconds_over(ceilings, link_to_host, to_host),
       seconds_over(ceilings, link_from_and_to_host, from_host + to_host)});
}

WantedCeilings wanted_for(const Work& work, const std::string& unit,
                          Cache cache) {
  WantedCeilings wanted;
  wanted.units = {unit};
  wanted.least_bytes = work.bytes / 4;
  // Beyond the caches a curve is flat, so twice the footprint is enough.
  constexpr double beyond_caches = 128 << 20;
  wanted.most_bytes =
      std::max(2 * work.bytes, std::min(8 * work.bytes, beyond_caches));
  if (cache == Cache::cold)
    wanted.most_bytes = std::numeric_limits<double>::infinity();
  return wanted;
}

}  // namespace parlab
