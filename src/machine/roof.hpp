// The roofline: the least time a machine of measured ceilings needs for a
// piece of work. Williams, Waterman and Patterson, Roofline: an insightful
// visual performance model, 2009.
#pragma once

#include "core/types.hpp"
#include "machine/ceilings.hpp"

namespace parlab {

// Bytes per second for work that touches `work.bytes` of memory, `work.written`
// of them written. Pure reads go at the read curve, one byte written
// per byte read at the copy curve; the time of a mixture is interpolated
// between these. 0 when nothing was measured.
// hot: the best of the curve at half this footprint or beyond (between two
// measured footprints, interpolated in the logarithm of the footprint), so
// that a problem that fits a cache is judged by that cache. cold: the curve
// at its largest footprint, where no cache helps.
double attainable_bandwidth(const Ceilings& ceilings, const Work& work,
                            Cache cache);

// Seconds: the longest of flops at the peak of that unit, bytes at the
// attainable bandwidth, and an empty launch. A ceiling that was not measured
// does not count; 0 when none was.
double roof_seconds(const Ceilings& ceilings, const Work& work,
                    const std::string& unit, Cache cache);

// The least that each of so many GPUs has to do, when they
// share the work evenly.
Work share_of(const Work& work, int gpus);

// Seconds that so many bytes take from one GPU to another; 0 when
// that was not measured.
double link_seconds(const Ceilings& ceilings, double bytes);

// Seconds that the link between host and GPU needs for so many bytes from the
// host and to it, both at once; 0 when that was not measured.
double host_link_seconds(const Ceilings& ceilings, double from_host,
                         double to_host);

// How many times as fast as its roof a right variant may come out: what the
// measurement of a roof and of a time differ by.
constexpr double gpu_roof_margin = 1.01, host_roof_margin = 1.03;

// How many times as slow as it is a roof of the host may be measured beside
// other programs.
constexpr double busy_host_slowdown = 3;

// The ceilings that it needs: where the work's footprint, twice that
// and, for caches, up to eight times that lie, and the unit.
WantedCeilings wanted_for(const Work& work, const std::string& unit,
                          Cache cache);

}  // namespace parlab
