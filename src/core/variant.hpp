// Workloads and their implementations, as registered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/register.hpp"
#include "core/workload.hpp"

namespace parlab {

// The kind of place that a variant needs. streams: a GPU, with the arrays in
// the host's memory.
PARLAB_ENUM(Target, "target", (host, "host"), (gpu, "gpu"),
            (streams, "streams"), (team, "team"))

// An arithmetic unit has a name and a peak, which is measured as a ceiling. It
// makes single multiply-adds ("fma float", "fma double", "int"), or products of
// small matrices ("tensor double", "tensor tf32", "tensor bfloat16", "tensor
// half", "tensor int8"). This is the one that computes in this dtype by
// default. Narrow dtypes are widened to float.
std::string plain_unit(Dtype dtype);

// A Description that owns its contents, and its source.
struct Variant {
  int rung = 0, claimed_id = -1;
  std::string idea;
  std::vector<Tunable> tunables;
  std::int64_t multiple_of = 1;
  std::vector<std::string> inputs, outputs;
  Arithmetic arithmetic = Arithmetic::ieee;
  std::map<Dtype, std::string> units;
  std::string hardware, label;
  std::vector<std::string> split;
  double pays_from = 0;
  double (*travels)(const std::int64_t* size, Dtype, int gpus) = nullptr;

  std::string workload, backend, name;
  std::string source, source_hash;
  // Its source uses PARLAB_EMULATED, so emulation may run other code than a
  // GPU.
  bool asks_for_emulation = false;
  int id = -1;  // for GPU_KERNEL; the registry assigns one if none is claimed
  Target target = Target::host;
  std::vector<Dtype> dtypes = {};
  // Exactly one of the four is set.
  RunOn<Gpu> run_gpu = nullptr;
  RunOn<Streams> run_streams = nullptr;
  RunOn<Host> run_host = nullptr;
  RunOnTeam run_gpus = nullptr;

  std::string full_name() const {
    return workload + "/" + backend + "/" + name;
  }
  bool needs_gpu() const { return target != Target::host; }
  bool needs_team() const { return target == Target::team; }
  // Its arrays begin and end in the host's memory, so its times include the
  // transfers.
  bool from_host() const { return target == Target::streams; }
  bool has(Dtype dtype) const;
  // the unit that sets its peak: "fma float"
  std::string unit(Dtype dtype) const;
  // As declared, except that two-byte numbers are not rounded to TF32.
  Arithmetic arithmetic_in(Dtype dtype) const;
  // nullptr if absent
  const Tunable* tunable(std::string_view tunable_name) const;
  bool reads(const ArraySpec& input) const;
  bool writes(const ArraySpec& output) const;
};

// Everything that was linked in. Register objects fill it before main().
// Afterwards it is only read, even by several threads at once.
class Registry {
 public:
  static Registry& instance();

  void add(std::unique_ptr<Workload> workload);
  void add(Variant variant);

  // nullptr if unknown
  const Workload* workload(std::string_view name) const;
  std::vector<const Workload*> workloads() const;  // sorted by name
  // In ladder order: serial, openmp, blas on the CPU, then those of the GPU by
  // rung. All have ids. Throws UsageError when two claim one number.
  const std::vector<const Variant*>& variants(std::string_view workload) const;
  // All variants, workload by workload.
  std::vector<const Variant*> variants() const;

 private:
  struct Ladder {
    std::vector<std::unique_ptr<Variant>> variants;
    std::vector<const Variant*> in_order;  // the same variants, in ladder order
    // message about two claims of one number; empty: none
    std::string conflict;
  };

  std::vector<std::unique_ptr<Workload>> workloads_;
  std::map<std::string, Ladder, std::less<>> ladders_;
};

// The extents of a size without the parameters. If this build lacks the
// workload, all numbers of the size.
Size extents_of(std::string_view workload, Size size);

// Like size_text() in core/workload.hpp, for a workload by name. Shows all
// numbers if this build lacks the workload or gives it another count of
// numbers.
std::string size_text(std::string_view workload, const Size& size);

// Makes a variant from its file's description and the path of that file.
Variant describe(const Description& description, std::string_view source,
                 std::string_view hash);

}  // namespace parlab
