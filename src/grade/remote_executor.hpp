// The place of one submission, or of the reference: a process of
// its own that executes it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/variant.hpp"
#include "grade/clock_check.hpp"
#include "grade/message.hpp"
#include "grade/sandbox.hpp"
#include "places/executor.hpp"

namespace parlab::grade {

struct Limits {
  // Of one execution, until it is taken for endless; while others
  // have the CPUs none pass.
  double seconds = 10;
  double memory_bytes = 2e9;
};

struct Program {
  std::vector<std::string> command;  // calls serve()
  bool uses_gpu = false;             // a real one
  bool trusted = false;              // it is our own
  std::optional<uid_t> user = {};    // see Confinement
};

// An Executor whose variant runs in a confined process. What comes back
// is believed as far as it can be checked here: outputs have the sizes
// that were asked for, and times fit the clock of this process. A process
// that ends is a PointError(launch_failed), one that goes on too long
// PointError(timed_out); the next load() starts another.
class RemoteExecutor final : public Executor {
 public:
  RemoteExecutor(Program program, const Limits& limits);
  ~RemoteExecutor() override;

  // What the submission declared. Throws PointError when its
  // process does not answer.
  const Variant& variant();

  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override;
  void release() override;
  Checked run_checked(const Call& call) override;
  // On a GPU like all others: a submission is told nothing.
  Counted count(const Call& call, const GpuShape& gpu = {}) override;
  Batch sample(const Call& call, const BatchPlan& plan) override;
  Left left_by_sample() override { return {.outputs = received_->view()}; }
  std::optional<TransferTimes> transfers(const Call& call) override;
  bool recover() override;
  bool can_time() const override { return can_time_; }
  Ceilings ceilings(const WantedCeilings&) override { return {}; }

  // All batches since the last call, which ends it.
  Watched watched() { return std::exchange(watched_, {}); }
  // Of the executions of the last batch by the clock of this process, from
  // asking for each to its answer.
  double elapsed_s() const { return elapsed_s_; }

 private:
  struct Running;
  class Awake;
  void start();
  Batch execute(const Call& call, Cache cache, const Disturbance& disturbance);
  // watched: grows by what it took; nullptr: of no interest.
  Message ask(const Message& message, double seconds,
              Watched* watched = nullptr);

  Program program_;
  Limits limits_;
  std::unique_ptr<Running> running_;
  Variant variant_;
  bool can_time_ = false;
  Watched watched_;
  double elapsed_s_ = 0;
  double answered_s_ = 0;  // the last question, by the clock of this process
  std::uint64_t promised_ = 0;  // the fingerprint of the last outputs
  Arrays inputs_;
  std::vector<ArraySpec> outputs_;
  std::unique_ptr<HostArrays> received_;
};

}  // namespace parlab::grade
