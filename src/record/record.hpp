// A measurement, its verdict and its provenance, as stored:
// one JSON object per line.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "facts/cause.hpp"
#include "record/run.hpp"
#include "statistics/statistics.hpp"

namespace parlab {

// Shape and cost of a variant's main kernel launch. Among the launches of one
// execution that is the one whose kernel uses the most registers per thread,
// and among that kernel's launches the largest.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t shared_bytes = 0;  // dynamic and static, per block
  int registers = 0;              // per thread
  int spill_bytes = 0;            // local memory per thread
  int launches = 0;               // kernels started by one execution
  double occupancy = 0;  // theoretical: active warps / most active warps, 0..1
  int active_warps = 0;  // per multiprocessor
  std::string limited_by;  // "registers", "shared memory", "threads", "blocks"

  bool known() const { return launches > 0 || block[0] > 0 || grid[0] > 0; }
};

// Joules per execution, measured over runs of several seconds: see
// docs/explanation/energy.md.
struct Energy {
  // per execution in each run, including idle power
  std::vector<double> runs_j = {};
  double seconds = 0;       // per execution in these runs, their median
  double idle_w = 0;        // power of the device at rest, in watts
  std::string source = {};  // "NVML", "RAPL package-0 + dram"
  Detail absent = {};       // why it is not known

  bool known() const { return !absent && !runs_j.empty(); }
  Summary summary() const;  // of joules
};

struct Record {
  // Identity: equal identity, source and machine means the same point.
  std::string workload, backend, variant;
  std::vector<std::string> dimensions;  // names of the extents of size
  Size size;
  Dtype dtype = Dtype::f32;
  TunableValues tunables;
  Cache cache = Cache::hot;
  InputKind inputs = InputKind::uniform;  // those that were timed
  std::string source, source_hash;
  std::string unit;  // the unit that sets the peak: "fma float"
  // set where it is not IEEE in the dtype
  Arithmetic arithmetic = Arithmetic::ieee;

  Verdict verdict = Verdict::unverified;
  Detail detail;  // why it did not pass
  // which library is the host's BLAS; if it was missing, the one to try again
  std::string library;
  bool emulated = false;  // only executed for verification, without samples

  std::vector<double> seconds;  // raw samples; empty unless passed and timed
  // number of samples in each batch; empty in records made before it was stored
  std::vector<int> batches;
  // The batches are the judged_groups(), and each one is sorted: see
  // packed.hpp.
  bool grouped = false;
  // for a team: for each sample, seconds from the first GPU to finish to the
  // last
  std::vector<double> apart;
  // for a team: seconds of one execution in transfers between its GPUs
  std::optional<double> moving_s;
  bool converged = false;  // Summary::precision reached what was asked for
  int discarded = 0;       // samples discarded because the clock had fallen
  // median clock of the device while the samples were taken; 0: unknown
  double clock_hz = 0;
  // The largest errors by error_name(), for workloads that compute them.
  std::map<std::string, double> errors;
  // Seconds for copies between the device and the host's memory, pageable and
  // pinned.
  std::optional<double> to_device_s, to_host_s;
  std::optional<double> to_device_pinned_s, to_host_pinned_s;
  // On a GPU, with the arrays in the host's memory: the samples include the
  // copies.
  bool from_host = false;
  std::optional<Energy> energy;  // set when it was asked for

  double flops = 0, bytes = 0;  // minimum that the problem needs
  double roof_s = 0;            // time at the attainable roof; 0: unknown
  // On a CPU: the upper end of its interval; then roof_s is the median time,
  // times the share of the roof that quiet batches reached. 0: not measured
  // beside the samples.
  double slowest_roof_s = 0;
  Detail roof_absent;              // why roof_s is not known, if a reason is
  std::vector<std::string> flags;  // "above_roof"
  LaunchShape launch;
  // by name, as the profiler read them; counters that were not read are absent
  std::map<std::string, double> counters;

  std::string run;  // id of the run (provenance)
  // UUID of the GPU it ran on; empty on the host, in emulation and in old
  // records
  std::string gpu;
  // Copied from the run by load_records(); not stored in the record.
  std::string machine, host_id;
  // The UUIDs of all GPUs of that host. They tell virtual machines apart that
  // were made from one image and share a host id. Empty: no GPUs, or unknown.
  std::string gpus_of_host;
  // other programs used some of its host's CPUs, or may have
  bool shares_cpus = false;
  BetweenRuns between_runs;  // of its ceilings; 0: the usual value is assumed

  Samples samples() const;
  Summary summary() const { return summarize(samples()); }
  bool on_gpu() const;  // judged by its launches and transfers
  // It ran on a GPU, or would have if it had not failed or been emulated. Both
  // sides have libraries as a backend. A library's record is for the GPU if its
  // source is for nvcc or it has times of transfers.
  bool for_gpu() const;
  bool has_energy() const { return timed() && energy && energy->known(); }
  bool timed() const { return verdict == Verdict::passed && !seconds.empty(); }
  std::string name() const { return backend + "/" + variant; }  // "cuda/naive"
  std::string full_name() const { return workload + "/" + name(); }
  // "dmv 4096x4096 float hot": records of one point can be compared
  std::string point() const;
  // point, variant, tunables, and whether it was emulated
  std::string identity() const;
  std::string key() const;  // identity and source hash; a key that is recorded
                            // is not run again
};

// The variant that it was made with; nullptr if this build does not have it.
const Variant* variant_of(const Record& record);

// Whether one of its executions did not end.
bool was_endless(const Record& record);
// Converts a text stored before there were causes: Cause::ended where it says
// so, else Cause::other.
Detail detail_of_text(std::string text);
// Whether the verdict accuses the variant or its time. A sweep with such a
// record exits with 1.
bool failed(const Record& record);

// The name of the largest error on these inputs, for example
// "uniform_of_bound". Its unit is the bound or the element's own rounding: see
// LargestError.
PARLAB_ENUM(ErrorUnit, "unit of errors", (bound, "bound"),
            (rounding, "rounding"))
std::string error_name(InputKind kind, ErrorUnit unit);

// Whether the GPUs of two hosts, given as Record::gpus_of_host, are the same or
// unknown for one of them.
bool may_be_alike(const std::string& gpus, const std::string& others);

// Whether the times of the two can be compared. They must come from one host;
// for two CPU records that host must also have the same GPUs. Records that do
// not name their host count as one host if the machine's name is the same. A
// new measurement has neither a host nor a machine yet.
bool same_machine(const Record& a, const Record& b);

// Whether both have the same point(), without building the strings.
bool same_point(const Record& a, const Record& b);

}  // namespace parlab
