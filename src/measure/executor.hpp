// A place where variants run: the host, a GPU, or the emulation of one.
//
// An executor holds the arrays of one problem, each between guard words, executes variants on them
// and reports times. It decides nothing: sweep/ says what to run, verify/ what is right.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/variant.hpp"
#include "core/workload.hpp"
#include "record/record.hpp"

namespace parlab {

// One call of a variant: everything but the arrays.
struct Call {
  const Variant* variant;
  Size size;
  Dtype dtype;
  Tunables tunables;
};

// What happened to the memory around one execution.
struct Checked {
  Arrays outputs;      // host copies, valid until the next call of this executor
  std::string damage;  // "wrote past the end of y", "changed its input a"; empty: none
  LaunchShape launch;  // of the last kernel; all zero on the host
};

struct Batch {
  std::vector<double> seconds;  // one entry an execution
  std::string discarded;        // why the batch must not be used: "the clock fell to 62 %"
};

struct TransferTimes {
  double to_device_s = 0, to_host_s = 0;  // medians; the inputs the variant reads, its outputs
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Takes hold of one problem. inputs: host arrays, kept by the caller until release(). outputs
  // are allocated here. Throws PointError(out_of_memory) naming the bytes needed and free.
  virtual void load(const Arrays& inputs, const std::vector<ArraySpec>& outputs, Dtype dtype) = 0;
  virtual void release() = 0;

  // Poisons the outputs with NaN, executes once, and compares guards and inputs afterwards.
  virtual Checked run_checked(const Call& call) = 0;

  // count timed executions, one after another, caches as asked for. Throws PointError.
  virtual Batch sample(const Call& call, int count, Cache cache) = 0;

  // Time to bring the inputs the variant reads to the device and its outputs back; nothing where
  // there is no transfer.
  virtual std::optional<TransferTimes> transfers(const Variant& variant) = 0;

  // The scratch memory of the call is given back; the next call makes its own.
  virtual void end_call() = 0;

  // False in emulation: results can be verified, times mean nothing.
  virtual bool can_time() const = 0;
};

std::unique_ptr<Executor> make_host_executor();
// The GPU of the nvcc build, or its emulation. Throws PointError(no_device) with the reason.
std::unique_ptr<Executor> make_gpu_executor();

}  // namespace parlab
