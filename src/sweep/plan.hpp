// A sweep measures the product of everything that was asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "core/variant.hpp"
#include "record/record.hpp"

namespace parlab {

struct Plan {
  const Workload* workload = nullptr;
  std::vector<Size> sizes;  // complete: one extent per dimension
  std::vector<Dtype> dtypes;
  std::vector<const Variant*> variants;  // in ladder order
  // Values asked for, by tunable; what is not named here has its fallback.
  std::map<std::string, std::vector<std::int64_t>> tunables;
  // When set, it decides in place of tunables which configurations a
  // variant runs with at a size.
  std::function<std::vector<TunableValues>(const Variant&, const Size&, Dtype)>
      choose = {};
  std::vector<Cache> caches;
  std::vector<InputKind> inputs{InputKind::uniform};  // that are timed
  // NR_ITER: this many samples, no more and no less
  std::optional<int> iterations;
  double time_limit_s = 1;  // of one measurement
  // An execution that takes longer stops this configuration from running
  // at larger sizes: they are `timed_out`.
  double point_limit_s = std::numeric_limits<double>::infinity();
  // An execution that takes longer is ended, and its variant not tried
  // again; by default a multiple of what is expected.
  std::optional<double> execution_limit_s = {};
  // Host memory; sizes that need more are `out_of_memory`.
  double memory_bytes = std::numeric_limits<double>::infinity();
  double precision = 0.01;  // half width of the median's interval, relative
  std::string results;  // record file to append to and resume from; empty: none
  // Record files and folders of them that say what was measured
  // already, on whatever host.
  std::vector<std::string> resume = {};
  // When set, only these sizes and dtypes are of interest: the plan's shard.
  std::function<bool(const Size&, Dtype)> wanted = {};
  // Roofs that are known already; measured at the start where absent.
  std::optional<Ceilings> host_ceilings = {}, device_ceilings = {};
  // of what the inputs hold; absent: as everywhere
  std::optional<std::uint64_t> seed = {};
  // CUDA's numbers of the GPUs to share the points; empty: all
  std::vector<int> devices = {0};
  std::string node;     // the host's name in its cluster, when it was given one
  std::string machine;  // its name, when it was given one
  bool verify_only = false;  // judge every configuration, time none
  bool energy = false;       // joules, too, of what is timed with hot caches
  // of the only run for joules; absent: as many as it takes, see
  // sweep/energy.hpp
  std::optional<double> energy_time_s = {};
  bool force = false;  // measure again what is recorded already
  // execute CUDA variants by emulation though there is a GPU
  bool emulate = false;
  // emulate also at a rectangle, or a square, where there is none
  bool rectangle = false;
  std::string command;  // as typed, for provenance
};

// How long one size and dtype of a plan may take, before anything is measured.
struct Estimate {
  Size size;
  Dtype dtype;
  std::size_t measurements = 0;  // that are not recorded yet
  double seconds = 0;            // for all of them: rough, for sharing work out
};

// The values of one tunable.
struct TunableAxis {
  std::string name;
  std::vector<std::int64_t> values;
};
std::vector<TunableValues> all_of(const std::vector<TunableAxis>& axes);

// Every choice of tunables the plan wants from one variant: the product of
// the values asked for, without those the variant does not allow. A fallback
// stays as declared: threads=0 is all cores.
std::vector<TunableValues> configurations(const Plan& plan,
                                          const Variant& variant);

}  // namespace parlab
