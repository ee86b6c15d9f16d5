// The command that a profiler, or compute-sanitizer, runs.
#pragma once

#include <string>
#include <vector>

namespace parlab {

// arguments: workload, size, dtype, then one configuration each: "cuda/rw
// block=128"; unnamed tunables keep their defaults. Without any configuration:
// all variants in cuda/. Each is executed once where the profiler listens, in
// this order; nothing is verified, timed or printed. Throws PointError when
// one of them cannot run, UsageError when the arguments make no sense.
void execute_once(const std::vector<std::string>& arguments);

}  // namespace parlab
