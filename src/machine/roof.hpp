// The roofline: the shortest time in which a machine with measured ceilings can
// do a piece of work. Williams, Waterman and Patterson, Roofline: an insightful
// visual performance model, 2009.
#pragma once

#include "core/types.hpp"
#include "machine/ceilings.hpp"

namespace parlab {

// Bytes per second for work that touches `work.bytes` of memory and writes
// `work.written` of them. Pure reads follow the read curve; one byte written
// per byte read follows the copy curve. The time of a mixture is interpolated
// between the two. 0 when nothing was measured. hot: the best of the curve at
// half this footprint or beyond, so that a problem that fits a cache is judged
// by that cache. Between measured footprints the curve is interpolated in the
// logarithm of the footprint. cold: the curve at its largest footprint, where
// no cache helps.
double attainable_bandwidth(const Ceilings& ceilings, const Work& work,
                            Cache cache);

// Seconds: the longest of the flops at the unit's peak, the bytes at the
// attainable bandwidth, and an empty launch. Ceilings that were not measured do
// not count; 0 when none was.
double roof_seconds(const Ceilings& ceilings, const Work& work,
                    const std::string& unit, Cache cache);

// The minimum work of each GPU when this many share it evenly.
Work share_of(const Work& work, int gpus);

// Seconds to send these bytes from one GPU to another; 0 when that was not
// measured.
double link_seconds(const Ceilings& ceilings, double bytes);

// Seconds that the link between host and GPU needs for these bytes in both
// directions at once; 0 when that was not measured.
double host_link_seconds(const Ceilings& ceilings, double from_host,
                         double to_host);

// How many times as fast as its roof a correct variant may appear, because both
// measurements have errors.
constexpr double gpu_roof_margin = 1.01, host_roof_margin = 1.03;

// How many times too slow a roof of the host may be measured while other
// programs run.
constexpr double busy_host_slowdown = 3;

// A roof that is this many times as slow at another moment is not steady, so no
// time is shown as a share of it.
constexpr double steady_roof = 1.1;

// The ceilings that the work needs: its unit, and the curves at its footprint,
// twice that and, because of caches, up to eight times that.
WantedCeilings wanted_for(const Work& work, const std::string& unit,
                          Cache cache);

}  // namespace parlab
