// A place where variants run: the host, a GPU, a team of GPUs, or the emulation
// of these.
//
// An executor holds the arrays of one problem, each between guard words,
// executes variants on them and reports times. It decides nothing: sweep/ says
// what to run and judges the results.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "core/workload.hpp"
#include "facts/cause.hpp"
#include "machine/energy_meter.hpp"
#include "places/counted.hpp"
#include "record/record.hpp"
#include "verify/disturbance.hpp"
#include "verify/host_arrays.hpp"

namespace parlab {

// Part of the name of the kernel that announces an execution to a profiler.
inline constexpr const char* profile_mark = "execution_begins";

// One call of a variant: everything but the arrays.
struct Call {
  const Variant* variant;
  Size size;
  Dtype dtype;
  TunableValues tunables;
  double expected_s = 0;  // rough time of one execution; limits follow from it
  // emulation ends a kernel that takes longer than this
  double at_most_s = 1e9;

  // Name of the call's scratch memory, which lives until the problem is
  // released.
  std::string key() const {
    return variant->full_name() + " " + to_string(tunables);
  }
};

// The arrays that the variant reads or writes; to the variant, all others are
// null.
Arrays declared_by(const Variant& variant, const Arrays& arrays);

// The result of one execution, and the state of the memory around it.
struct Checked {
  Arrays outputs;  // host copies, valid until the next call of this executor
  Detail damage;   // Cause::wrote_past_end, changed_input ...
  bool inputs_lost = false;  // the inputs must be filled and loaded again
  LaunchShape launch;        // of the last kernel; all zero on the host
  double seconds = 0;        // rough, for planning
};

// Approximate time of a batch, unless one execution alone takes longer.
inline constexpr double usual_batch_s = 0.02;

// Timed executions, one after another.
struct BatchPlan {
  Cache cache = Cache::hot;
  // disturbances before each execution, outside its time
  std::vector<Disturbance> executions;
  // Timed like a grader's own clock, which sees everything from question to
  // answer. So no execution is untimed, and the time that threads waited for a
  // CPU is reported.
  bool watched = false;
};

struct Batch {
  std::vector<double> seconds;  // one entry per execution
  // for a team: from the first GPU to finish to the last
  std::vector<double> apart;
  double clock_hz = 0;          // of the device during the batch; 0: unknown
  double highest_clock_hz = 0;  // maximum clock of the device
  // How long the thread that waited longest had to wait for a CPU during the
  // executions: see machine/run_queue.hpp. Nothing if it was not asked for, not
  // on the host, or the system does not say.
  std::optional<double> waited_s = {};
  // threads of this process just after the executions, if waits were asked for
  int threads = 0;
  // as in Checked, or Cause::wrote_after_return, wrote_after_time
  Detail damage;
};

struct Left {
  Arrays outputs;
  Detail damage = {};  // Cause::copies_differ
};

// Executions one right after another, to measure quantities that take seconds.
struct Repetition {
  std::int64_t bunch = 1;  // executions between two questions
  // called when the device is warm and at rest, just before the first execution
  std::function<void()> begins;
  // asked after each bunch; on a GPU the next bunch is already running
  std::function<bool()> enough;
  std::function<void()> ends;  // called when the last execution is done
};

struct Repeated {
  std::int64_t executions = 0;
  Detail damage;   // as in Checked
  Arrays outputs;  // host copies of the last execution's outputs
};

// Median times for the inputs that a variant reads, and for its outputs.
struct TransferTimes {
  // from and to pageable memory
  double to_device_s = 0, to_host_s = 0;
  std::optional<double> to_device_pinned_s = {},
                        // pinned; unknown in some places
      to_host_pinned_s = {};
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Takes one problem. The inputs belong to the caller and must stay until
  // release(); outputs are allocated here. Throws PointError(out_of_memory)
  // with the bytes needed and free.
  virtual void load(const Arrays& inputs,
                    const std::vector<ArraySpec>& outputs) = 0;
  virtual void release() = 0;

  // Poisons the outputs with NaN, executes the variant, and then checks guards
  // and inputs. Throws PointError when the variant cannot run or failed.
  virtual Checked run_checked(const Call& call) = 0;

  // Takes timed executions; call run_checked() first. The inputs end unchanged.
  // A place may take fewer executions, but the last one of the plan is among
  // them. Throws PointError(implausible) when the variant was still at work
  // after its window had closed, or used more threads than were asked for.
  virtual Batch sample(const Call& call, const BatchPlan& plan) = 0;
  // Host copies of the outputs of that batch's last execution, and damage that
  // is known before they are compared.
  virtual Left left_by_sample() {
    throw std::logic_error("nothing was sampled");
  }

  // Executes the variant repeatedly on unchanged inputs; call run_checked()
  // first.
  virtual Repeated repeat(const Call& call, const Repetition& /*plan*/) {
    throw PointError(Verdict::not_supported, Cause::not_repeated,
                     call.variant->full_name());
  }
  // Throws NoEnergy.
  virtual std::unique_ptr<EnergyMeter> energy_meter() {
    throw NoEnergy(Cause::no_meter_there);
  }

  // Executes the variant once without the profiler and once under it, after an
  // empty kernel of number + 1 blocks whose name contains profile_mark. Needs a
  // process of its own.
  virtual void run_profiled(const Call& /*call*/, int /*number*/) {
    throw PointError(Verdict::no_device, Cause::no_counters);
  }

  // Executes the variant once and counts its kernels' memory accesses line by
  // line, as on a GPU of this shape, if the place can tell.
  virtual Counted count(const Call& /*call*/, const GpuShape& /*gpu*/ = {}) {
    throw PointError(Verdict::no_device, Cause::no_counters);
  }

  // Time to copy the variant's inputs to the device and its outputs back.
  // Nothing if nothing must be copied, or if the copies are part of an
  // execution.
  virtual std::optional<TransferTimes> transfers(const Call& /*call*/) {
    return std::nullopt;
  }

  // For a team: how long a GPU spends in transfers during one execution,
  // including waits for others.
  virtual std::optional<double> seconds_of_transfers(const Call& /*call*/) {
    return std::nullopt;
  }
  // Number of GPUs that a variant can have here.
  virtual int gpus() const { return 1; }

  // After a launch_failed: makes the device usable again. True if the inputs
  // must be loaded again.
  virtual bool recover() { return false; }

  // False in emulation, where results can be verified but times mean nothing.
  virtual bool can_time() const = 0;
  // Measured roofs of this device; empty if it cannot time.
  virtual Ceilings ceilings(const WantedCeilings& wanted = {}) = 0;
  // The highest transfer rates between the GPUs of a team, or between the host
  // and a GPU whose arrays are in host memory: see Ceilings::links.
  virtual std::map<std::string, double> links() { return {}; }
};

// Lets an executor without a problem count on random inputs. Throws PointError.
Counted count_once(Executor& executor, const Workload& workload,
                   const Call& call, const GpuShape& gpu = {});

std::unique_ptr<Executor> make_host_executor();
// That of the GPUs that this program was built for: real ones (cuda/) or
// emulated ones (emulation/). target: gpu, streams or team. device: number of
// the single GPU.
std::unique_ptr<Executor> make_gpu_executor(Target target, int device);
// Makes the executor of a target: the host, the GPU with CUDA's number
// `device`, such a GPU with arrays in host memory, or a team of all GPUs.
// Without nvcc the GPUs are emulated, and a team has as many as a call asks
// for. Throws PointError(no_device) with the reason.
std::unique_ptr<Executor> make_executor(Target target, int device = 0);

}  // namespace parlab
