// A measurement, its verdict and its provenance, as stored:
// one JSON object per line.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "core/workload.hpp"
#include "facts/cause.hpp"
#include "record/run.hpp"
#include "statistics/statistics.hpp"

namespace parlab {

// Shape and cost of a variant's main kernel launch: of those of one
// execution the one whose kernel has the most registers per thread, and
// among its launches the largest.
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

// Joules of one execution, measured over seconds of them:
// see docs/measuring.md.
struct Energy {
  // of one execution in each run, what the idle device uses included
  std::vector<double> runs_j = {};
  double seconds = 0;       // of one execution in these runs, their median
  double idle_w = 0;        // what the device uses at rest
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
  InputKind inputs = InputKind::uniform;  // that were timed
  std::string source, source_hash;
  std::string unit;  // that sets the peak: "fma float"
  // where that is not IEEE in the dtype
  Arithmetic arithmetic = Arithmetic::ieee;

  Verdict verdict = Verdict::unverified;
  Detail detail;  // why not passed
  // BLAS on the host: which; else the one that was not there, to try again
  std::string library;
  bool emulated = false;  // executed for verification only: has no samples

  std::vector<double> seconds;  // raw samples; empty unless passed and timed
  // how many samples each batch has; empty in records
  // made before they were kept
  std::vector<int> batches;
  // The batches are judged_groups(), and each is sorted: see packed.hpp.
  bool grouped = false;
  // of a team, for each sample: from its first GPU that was done to its last
  std::vector<double> apart;
  // of a team: in transfers between its GPUs, in one execution
  std::optional<double> moving_s;
  bool converged = false;  // Summary::precision is what was asked for
  int discarded = 0;       // samples thrown away because the clock had fallen
  // of the device while the samples were taken, the median; 0: not known
  double clock_hz = 0;
  // The largest, by error_name(); of workloads that know them.
  std::map<std::string, double> errors;
  // Copies between the device and pageable memory of the
  // host, and pinned memory.
  std::optional<double> to_device_s, to_host_s;
  std::optional<double> to_device_pinned_s, to_host_pinned_s;
  // On a GPU, with the arrays in the host's memory: the samples
  // have the copies in them.
  bool from_host = false;
  std::optional<Energy> energy;  // when it was asked for

  double flops = 0, bytes = 0;  // the least the problem needs
  double roof_s = 0;            // time at the attainable roof; 0 when not known
  std::vector<std::string> flags;  // "above_roof"
  LaunchShape launch;
  // by name, as the profiler read them; absent when unread
  std::map<std::string, double> counters;

  std::string run;  // id of the run (provenance) it belongs to
  // UUID of the GPU it ran on; empty on the host, in emulation, and formerly
  std::string gpu;
  // Of that run; not stored again, set by load_records.
  std::string machine, host_id;
  // The GPUs of that host by their UUIDs: virtual machines made from one image
  // have one id, and other GPUs. Empty: none, or not known.
  std::string gpus_of_host;
  // others had a part of its host's CPUs, or may have had
  bool shares_cpus = false;
  BetweenRuns between_runs;  // of its ceilings; 0: the usual one is assumed

  Samples samples() const;
  Summary summary() const { return summarize(samples()); }
  bool on_gpu() const;  // by what it says of launches and transfers
  // It ran on a GPU, or would have where it failed or was emulated. Libraries
  // are a backend on both sides: those of the GPU were compiled by nvcc, or had
  // data to move.
  bool for_gpu() const;
  bool has_energy() const { return timed() && energy && energy->known(); }
  bool timed() const { return verdict == Verdict::passed && !seconds.empty(); }
  std::string full_name() const {
    return workload + "/" + backend + "/" + variant;
  }
  // "dmv 4096x4096 float hot": what can be compared
  std::string point() const;
  // point, variant, tunables, and whether it was emulated
  std::string identity() const;
  std::string key() const;  // identity and source hash: what is not run twice
};

// An execution of it did not end.
bool was_endless(const Record& record);
// A text of before there were causes: Cause::ended where it says so, else
// Cause::other.
Detail detail_of_text(std::string text);
// Its verdict accuses the variant, or its time: a sweep with one ends with 1.
bool failed(const Record& record);

// What the largest error on these inputs is called, in units of the bound, or
// of the element's own rounding: "uniform_of_bound". See LargestError.
PARLAB_ENUM(ErrorUnit, "unit of errors", (bound, "bound"),
            (rounding, "rounding"))
std::string error_name(InputKind kind, ErrorUnit unit);

// The GPUs of two hosts, as Record::gpus_of_host: the same, or not known of
// one.
bool may_be_alike(const std::string& gpus, const std::string& others);

// Times of the two can be compared: one host, of which two on the CPU also have
// the same GPUs. Of records that do not say their host those of one machine's
// name are taken to be of one; what was just measured has neither yet.
bool same_machine(const Record& a, const Record& b);

// That point() is the same of both, told without making the texts.
bool same_point(const Record& a, const Record& b);

}  // namespace parlab
