// A place where variants run: the host, a GPU, a team of GPUs, or
// the emulation of these.
//
// An executor holds the arrays of one problem, each between guard words,
// executes variants on them and reports times. It decides nothing: sweep/
// says what to run and judges the results.
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
  double expected_s = 0;  // roughly, of one execution: limits follow from it

  // Names the scratch memory of the call, which lives until
  // the problem is released.
  std::string key() const {
    return variant->full_name() + " " + to_string(tunables);
  }
};

// Those that the variant reads or writes: all others are null to it.
Arrays declared_by(const Variant& variant, const Arrays& arrays);

// What happened to the memory around one execution.
struct Checked {
  Arrays outputs;  // host copies, valid until the next call of this executor
  Detail damage;   // Cause::wrote_past_end, changed_input ...
  bool inputs_lost = false;  // the inputs must be filled and loaded again
  LaunchShape launch;        // of the last kernel; all zero on the host
  double seconds = 0;        // roughly, for planning
};

// About as long as the executions of a batch take together, but for one that
// is longer.
inline constexpr double usual_batch_s = 0.02;

// Timed executions, one after another.
struct BatchPlan {
  Cache cache = Cache::hot;
  // what happens before each, outside its time
  std::vector<Disturbance> executions;
  // By the clock of a grader, which sees all that happens from question to
  // answer: no execution is untimed, and how long threads waited for a CPU is
  // wanted.
  bool watched = false;
};

struct Batch {
  std::vector<double> seconds;  // one entry per execution
  // of a team: between its first GPU that was done and its last
  std::vector<double> apart;
  double clock_hz = 0;          // of the device, meanwhile; 0: not known
  double highest_clock_hz = 0;  // that the device may have
  // During the executions, of the thread that waited longest: see
  // machine/run_queue.hpp. Nothing: not asked for, not on the host, or
  // the system does not say.
  std::optional<double> waited_s = {};
  // of this process just after them, where waits were asked for
  int threads = 0;
  // as in Checked, or Cause::wrote_after_return, wrote_after_time
  Detail damage;
};

struct Left {
  Arrays outputs;
  Detail damage = {};  // Cause::copies_differ
};

// Executions one right after another, for what takes seconds to be measured.
struct Repetition {
  std::int64_t bunch = 1;  // executions from question to question
  // the device is warm and at rest, the first is about to start
  std::function<void()> begins;
  // asked after each bunch; on a GPU the next one runs meanwhile
  std::function<bool()> enough;
  std::function<void()> ends;  // the last one is done
};

struct Repeated {
  std::int64_t executions = 0;
  Detail damage;   // as in Checked
  Arrays outputs;  // of the last execution: host copies
};

// Medians: the inputs a variant reads, and its outputs.
struct TransferTimes {
  // from and to ordinary, pageable memory
  double to_device_s = 0, to_host_s = 0;
  std::optional<double> to_device_pinned_s = {},
                        to_host_pinned_s = {};  // pinned; not known everywhere
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Takes hold of one problem. inputs stay the caller's until release();
  // outputs are allocated here. Throws PointError(out_of_memory) naming
  // the bytes needed and free.
  virtual void load(const Arrays& inputs,
                    const std::vector<ArraySpec>& outputs) = 0;
  virtual void release() = 0;

  // Poisons the outputs with NaN, executes the variant, and compares guards and
  // inputs afterwards. Throws PointError when the variant cannot run or failed.
  virtual Checked run_checked(const Call& call) = 0;

  // Timed executions; run_checked() came before. The inputs end as they were.
  // A place may take fewer, but the last one of the plan is among them. Throws
  // PointError(implausible) when the variant was still at work after its
  // window had closed, or on more threads than were asked for.
  virtual Batch sample(const Call& call, const BatchPlan& plan) = 0;
  // Host copies of what the last execution of that batch left behind, and what
  // is wrong with them before anybody compares.
  virtual Left left_by_sample() {
    throw std::logic_error("nothing was sampled");
  }

  // Executes the variant again and again on the inputs as they are;
  // run_checked() came before.
  virtual Repeated repeat(const Call& call, const Repetition& /*plan*/) {
    throw PointError(Verdict::not_supported,
                     {.cause = Cause::not_repeated,
                      .arguments = {call.variant->full_name()}});
  }
  // Throws NoEnergy.
  virtual std::unique_ptr<EnergyMeter> energy_meter() {
    throw NoEnergy({.cause = Cause::no_meter_there});
  }

  // Executes the variant in the open, then once more where a profiler
  // listens, behind an empty kernel of number + 1 blocks whose name has
  // profile_mark in it. For a process of its own.
  virtual void run_profiled(const Call& /*call*/, int /*number*/) {
    throw PointError(Verdict::no_device, {.cause = Cause::no_counters});
  }

  // Executes the variant once and counts what its kernels ask of memory, where
  // that can be told line by line, as on a GPU of this shape.
  virtual Counted count(const Call& /*call*/, const GpuShape& /*gpu*/ = {}) {
    throw PointError(Verdict::no_device, {.cause = Cause::no_counters});
  }

  // Time to bring the inputs the variant reads to the device and its
  // outputs back; nothing where nothing has to travel, or where that
  // is part of an execution.
  virtual std::optional<TransferTimes> transfers(const Call& call) = 0;

  // Of an execution of a team: how long a GPU is in transfers, where it
  // has to wait for others, too.
  virtual std::optional<double> seconds_of_transfers(const Call& /*call*/) {
    return std::nullopt;
  }
  // GPUs that a variant can have here.
  virtual int gpus() const { return 1; }

  // After a launch_failed: makes the device usable again. True: the
  // inputs must be loaded again.
  virtual bool recover() { return false; }

  // False in emulation: results can be verified, times mean nothing.
  virtual bool can_time() const = 0;
  // Measured roofs of this device; empty where nothing can be timed.
  virtual Ceilings ceilings(const WantedCeilings& wanted = {}) = 0;
  // What moves between the GPUs of a team at the most, or between the host
  // and a GPU whose arrays are the host's: see Ceilings::links.
  virtual std::map<std::string, double> links() { return {}; }
};

// Has an executor that holds no problem count on random inputs. Throws
// PointError.
Counted count_once(Executor& executor, const Workload& workload,
                   const Call& call, const GpuShape& gpu = {});

std::unique_ptr<Executor> make_host_executor();
// On the host, on the GPU of the nvcc build that has CUDA's number `device`,
// on one whose variants have their arrays in the host's memory, or on a team
// of all GPUs; or on emulated ones, of which a team has as many as a call asks
// for. Throws PointError(no_device) with the reason.
std::unique_ptr<Executor> make_executor(Target target, int device = 0);

}  // namespace parlab
