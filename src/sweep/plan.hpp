// A sweep measures all combinations of what was asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "core/variant.hpp"
#include "record/record.hpp"

namespace parlab {

class SharedOracles;

struct Plan {
  const Workload* workload = nullptr;
  std::vector<Size> sizes;  // complete: one extent per dimension
  std::vector<Dtype> dtypes;
  std::vector<const Variant*> variants;  // in ladder order
  // Values asked for, by tunable. Tunables not named here take their fallback.
  std::map<std::string, std::vector<std::int64_t>> tunables;
  // If set, it chooses the configurations of a variant at a size, instead of
  // tunables.
  std::function<std::vector<TunableValues>(const Variant&, const Size&, Dtype)>
      choose = {};
  std::vector<Cache> caches;
  std::vector<InputKind> inputs{InputKind::uniform};  // those that are timed
  // NR_ITER: exactly this many samples
  std::optional<int> iterations;
  double time_limit_s = 1;  // per measurement
  // A configuration with a slower execution is not run at larger sizes: they
  // are `timed_out`.
  double point_limit_s = std::numeric_limits<double>::infinity();
  // A slower execution is killed, and its variant is not tried again. By
  // default a multiple of the expected time.
  std::optional<double> execution_limit_s = {};
  // A check that takes longer is given up, and the point is `unverified`.
  double verify_limit_s = 600;
  // Limit of host memory; sizes that need more are `out_of_memory`.
  double memory_bytes = std::numeric_limits<double>::infinity();
  double precision = 0.01;  // half width of the median's interval, relative
  std::string results;  // record file to append to and resume from; empty: none
  // Record files, or folders of them, whose measurements count as done,
  // whatever host they are from.
  std::vector<std::string> resume = {};
  // If set, only these sizes and dtypes are measured: the plan's shard.
  std::function<bool(const Size&, Dtype)> wanted = {};
  // Roofs that are already known; if absent they are measured at the start.
  std::optional<Ceilings> host_ceilings = {}, device_ceilings = {};
  // seed of the inputs' values; absent: the usual one
  std::optional<std::uint64_t> seed = {};
  // those of other plans for the same problems
  std::shared_ptr<SharedOracles> oracles = {};
  // CUDA's numbers of the GPUs that share the points; empty: all
  std::vector<int> devices = {0};
  std::string node;          // the host's name in its cluster, if one was given
  std::string machine;       // the machine's name, if one was given
  bool verify_only = false;  // check every configuration, time none
  // also measure joules where it is timed with hot caches
  bool energy = false;
  // length of the only energy run; absent: as many as needed, see
  // sweep/energy.hpp
  std::optional<double> energy_time_s = {};
  bool force = false;  // measure again even if recorded
  // emulate CUDA variants even if there is a GPU
  bool emulate = false;
  // Emulate a size that nobody asked for, too: a rectangle if all are squares,
  // and vice versa; with other parameters. Note types that are not tried.
  bool tries_more = false;
  std::vector<Dtype> dtypes_left_out = {};  // because nobody named any
  std::string command;                      // as typed, for provenance
};

// A rough estimate, made before anything is measured, for one size and dtype of
// a plan.
struct Estimate {
  Size size;
  Dtype dtype;
  std::size_t measurements = 0;  // those not yet recorded
  // for all of them; rough, used to divide the work
  double seconds = 0;
};

// The values of one tunable.
struct TunableAxis {
  std::string name;
  std::vector<std::int64_t> values;
};
std::vector<TunableValues> all_of(const std::vector<TunableAxis>& axes);

// All combinations of the requested tunable values that the variant allows. A
// fallback stays as declared: threads=0 means all cores.
std::vector<TunableValues> configurations(const Plan& plan,
                                          const Variant& variant);

}  // namespace parlab
