// Executes one submission, or the reference, in a process of its own.
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
  // For one execution, after which it counts as endless; time in which others
  // have the CPUs does not count.
  double seconds = 10;
  double memory_bytes = 2e9;
};

struct Program {
  std::vector<std::string> command;  // a program that calls serve()
  bool uses_gpu = false;             // a real GPU
  bool trusted = false;              // our own program
  std::optional<uid_t> user = {};    // see Confinement
};

// An Executor whose variant runs in a confined process. Its answers are checked
// as far as possible here: outputs have the requested sizes, and times fit this
// process's clock. A process that ends is a PointError(launch_failed), one that
// takes too long a PointError(timed_out); the next load() starts another.
class RemoteExecutor final : public Executor {
 public:
  RemoteExecutor(Program program, const Limits& limits);
  ~RemoteExecutor() override;

  // The submission's declaration. Throws PointError if its process does not
  // answer.
  const Variant& variant();

  void load(const Arrays& inputs,
            const std::vector<ArraySpec>& outputs) override;
  void release() override;
  Checked run_checked(const Call& call) override;
  // On the same GPU for all: a submission is told nothing.
  Counted count(const Call& call, const GpuShape& gpu = {}) override;
  Batch sample(const Call& call, const BatchPlan& plan) override;
  Left left_by_sample() override { return {.outputs = received_->view()}; }
  std::optional<TransferTimes> transfers(const Call& call) override;
  bool recover() override;
  bool can_time() const override { return can_time_; }
  Ceilings ceilings(const WantedCeilings&) override { return {}; }

  // All batches since the last call, which resets this.
  Watched watched() { return std::exchange(watched_, {}); }
  // Time of the last batch's executions by this process's clock, from each
  // question to its answer.
  double elapsed_s() const { return elapsed_s_; }

 private:
  struct Running;
  class Awake;
  void start();
  Batch execute(const Call& call, Cache cache, const Disturbance& disturbance);
  // watched: the time taken is added to it; nullptr: not needed.
  Message ask(const Message& message, double seconds,
              Watched* watched = nullptr);

  Program program_;
  Limits limits_;
  std::unique_ptr<Running> running_;
  Variant variant_;
  bool can_time_ = false;
  Watched watched_;
  double elapsed_s_ = 0;
  double answered_s_ = 0;       // the last question, by this process's clock
  std::uint64_t promised_ = 0;  // fingerprint of the last outputs
  Arrays inputs_;
  std::vector<ArraySpec> outputs_;
  std::unique_ptr<HostArrays> received_;
};

}  // namespace parlab::grade
