// Workloads and their implementations, as they announced themselves.
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

// What a variant runs on; a place of that kind is found for it.
// streams: a GPU, with the arrays in the host's memory.
PARLAB_ENUM(Target, "target", (host, "host"), (gpu, "gpu"),
            (streams, "streams"), (team, "team"))

// A Description that owns what it says, and where it comes from.
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
  // It may be other code there than on a GPU: PARLAB_EMULATED is in its source.
  bool asks_for_emulation = false;
  int id = -1;  // for GPU_KERNEL; given by the registry where none is claimed
  Target target = Target::host;
  std::vector<Dtype> dtypes = {};
  // One of the four is set.
  RunOn<Gpu> run_gpu = nullptr;
  RunOn<Streams> run_streams = nullptr;
  RunOn<Host> run_host = nullptr;
  RunOnTeam run_gpus = nullptr;

  std::string full_name() const {
    return workload + "/" + backend + "/" + name;
  }
  bool needs_gpu() const { return target != Target::host; }
  bool needs_team() const { return target == Target::team; }
  // Its arrays begin and end in the host's memory: what it takes
  // has the transfers in it.
  bool from_host() const { return target == Target::streams; }
  bool has(Dtype dtype) const;
  std::string unit(Dtype dtype) const;  // that sets its peak: "fma float"
  // As declared; but numbers of two bytes are not rounded to TF32.
  Arithmetic arithmetic_in(Dtype dtype) const;
  // nullptr when absent
  const Tunable* tunable(std::string_view tunable_name) const;
  bool reads(const ArraySpec& input) const;
  bool writes(const ArraySpec& output) const;
};

// Everything that was linked in. Filled before main() by Register objects, and
// only read after that: by several threads at once, too.
class Registry {
 public:
  static Registry& instance();

  void add(std::unique_ptr<Workload> workload);
  void add(Variant variant);

  // nullptr when unknown
  const Workload* workload(std::string_view name) const;
  std::vector<const Workload*> workloads() const;  // by name
  // In ladder order: serial, openmp, blas on the CPU, then the GPU's
  // by rung; ids all given.
  // Throws UsageError when two claim one number.
  const std::vector<const Variant*>& variants(std::string_view workload) const;

 private:
  struct Ladder {
    std::vector<std::unique_ptr<Variant>> variants;
    std::vector<const Variant*> in_order;  // the same
    std::string conflict;                  // between claims, if there is one
  };

  std::vector<std::unique_ptr<Workload>> workloads_;
  std::map<std::string, Ladder, std::less<>> ladders_;
};

// The extents of a size without the parameters; all numbers of a workload that
// this build lacks.
Size extents_of(std::string_view workload, Size size);

// As in core/workload.hpp, of a workload by its name; all numbers of one that
// this build lacks, or that has another number of them here.
std::string size_text(std::string_view workload, const Size& size);

// A variant of what its file says, and the path of that file.
Variant describe(const Description& description, std::string_view source,
                 std::string_view hash);

struct RegisterWorkload {
  explicit RegisterWorkload(std::unique_ptr<Workload> workload) {
    Registry::instance().add(std::move(workload));
  }
};

}  // namespace parlab
