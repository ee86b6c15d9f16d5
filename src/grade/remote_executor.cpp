#include "grade/remote_executor.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "core/clock.hpp"
#include "facts/cause.hpp"
#include "grade/protocol.hpp"
#include "machine/pinning.hpp"
#include "machine/run_queue.hpp"
#include "sweep/interrupt.hpp"

namespace parlab::grade {
namespace {

using Clock = std::chrono::steady_clock;

// Starting CUDA and loading arrays: all steps without an execution.
constexpr double seconds_to_start = 60;
// multiples of the limit that may pass while others have the CPUs
constexpr double patience = 10;
// an emulated execution may take this many times its expected time beyond the
// usual limit
constexpr double times_expected = 20;
// Emulation ends a kernel itself before its process is ended, and says where.
constexpr double share_of_one_launch = 0.8;
constexpr std::size_t most_words = 1 << 20;  // bytes of an answer, not counting
                                             // arrays

std::size_t bytes_of(const std::vector<ArraySpec>& arrays) {
  std::size_t bytes = 0;
  for (const auto& array : arrays)
    bytes += array.bytes();
  return bytes;
}

}  // namespace

struct RemoteExecutor::Running {
  Running(const Program& program, const Limits& limits, int ours, int theirs)
      : channel(ours),
        process(program.command,
                {.readable =
                     [&] {
                       auto paths = system_folders();
                       for (const auto& path : descriptions_of_machine())
                         paths.push_back(path);
                       paths.push_back(
                           program.trusted ? "/" : program.command.front());
                       return paths;
                     }(),
                 .writable = {},
                 .folder = "/",
                 .user = program.user,
                 .cpu_s = 3600,
                 .memory_bytes = limits.memory_bytes,
                 // files of memory, as drivers make them; no others are
                 // possible
                 .file_bytes = std::uint64_t{64} << 20,
                 .uses_gpu = program.uses_gpu,
                 .trusted = program.trusted},
                theirs) {
    close(theirs);
  }

  Channel channel;
  Process process;
};

// The process runs only while it is asked, so it cannot work or take anything
// unseen by the grader. A question may end it.
class RemoteExecutor::Awake {
 public:
  explicit Awake(const std::unique_ptr<Running>& running) : running_(running) {
    if (running_) running_->process.go_on();
  }
  ~Awake() {
    if (running_) running_->process.pause();
  }
  Awake(const Awake&) = delete;
  Awake& operator=(const Awake&) = delete;

 private:
  const std::unique_ptr<Running>& running_;
};

RemoteExecutor::RemoteExecutor(Program program, const Limits& limits)
    : program_(std::move(program)), limits_(limits) {}

RemoteExecutor::~RemoteExecutor() = default;

void RemoteExecutor::start() {
  if (running_) return;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "a channel to a submission");
  }
  running_ = std::make_unique<Running>(program_, limits_, ends[0], ends[1]);
  const Awake awake(running_);
  auto described = ask(Message().put(Ask::describe), seconds_to_start);
  variant_ = get_variant(described);
  can_time_ = described.get<bool>();
  described.expect_end();
}

const Variant& RemoteExecutor::variant() {
  start();
  return variant_;
}

Message RemoteExecutor::ask(const Message& message, double seconds,
                            Watched* watched) {
  if (!running_)
    throw PointError(Verdict::launch_failed, {.cause = Cause::process_ended});
  const auto start = Clock::now();
  const RunQueueWait theirs(running_->process.id());
  RunQueueWait ours(getpid());
  bool too_long = false;
  std::optional<Clock::time_point> signalled;
  const Detail why_too_long =
      because(Cause::took_too_long, Quantity{seconds, Unit::second});
  const auto look_after = [&] {
    if (was_interrupted()) running_->process.end({.cause = Cause::interrupted});
    if (running_->process.why_ended()) throw std::runtime_error("ended");
    // our waiting before the answer delays nobody
    ours = RunQueueWait(getpid());
    const double elapsed = seconds_since(start);
    if (elapsed <= seconds) return;
    too_long = elapsed - theirs.seconds().value_or(0) > seconds ||
               elapsed > patience * seconds;
    if (!too_long) return;
    // Emulation may say where the kernel is.
    constexpr double to_say_so_s = 1;
    if (!can_time_ && !signalled) {
      signalled = Clock::now();
      kill(running_->process.id(), SIGPROF);
    } else if (can_time_ || seconds_since(*signalled) > to_say_so_s) {
      running_->process.end(why_too_long);
    }
  };
  try {
    const auto asked = Clock::now();
    running_->channel.send(message, look_after);
    Message reply = running_->channel.receive(
        most_words + 2 * bytes_of(outputs_), look_after);
    answered_s_ = seconds_since(asked);
    if (watched != nullptr) {
      watched->add({seconds_since(start), theirs.seconds()});
      watched->add({0, ours.seconds()});
    }
    switch (reply.get<Answer>()) {
      case Answer::done:
        return reply;
      case Answer::failed: {
        const auto verdict = reply.get<Verdict>();
        auto why = cleaned(reply.get<Detail>());
        if (auto more = refusal_of(reply.get<std::vector<std::int64_t>>()))
          why.further.push_back(std::move(more));
        throw PointError(
            verdict == Verdict::passed ? Verdict::launch_failed : verdict,
            std::move(why));
      }
    }
    throw Malformed("a choice");
  } catch (const Malformed&) {
    running_.reset();
    throw;
  } catch (const PointError&) {
    throw;
  } catch (const std::runtime_error&) {
    auto why = running_->process.why_ended();
    // The channel may close before the process is seen to end.
    if (!why) why = running_->process.wait(1);
    if (!why) why.cause = Cause::channel_closed;
    running_.reset();
    if (too_long) throw PointError(Verdict::timed_out, why_too_long);
    throw PointError(Verdict::launch_failed, why);
  }
}

void RemoteExecutor::load(const Arrays& inputs,
                          const std::vector<ArraySpec>& outputs) {
  inputs_ = inputs;
  outputs_ = outputs;
  received_ = std::make_unique<HostArrays>(outputs);
  start();
  std::vector<ArraySpec> specs;
  for (const auto& array : inputs)
    specs.push_back(array.spec);
  Message message;
  message.put(Ask::load, specs, outputs);
  for (const auto& array : inputs)
    message.put_bytes(array.data, array.spec.bytes());
  const Awake awake(running_);
  ask(message, seconds_to_start);
}

void RemoteExecutor::release() {
  if (running_) {
    const Awake awake(running_);
    try {
      ask(Message().put(Ask::release), seconds_to_start);
    } catch (const PointError&) {
      if (running_) throw;  // else it ended after it had told why
    }
  }
  inputs_ = {};
  outputs_.clear();
  received_.reset();
}

Checked RemoteExecutor::run_checked(const Call& call) {
  const Awake awake(running_);
  // Emulation takes longer.
  const double limit_s =
      limits_.seconds + (can_time_ ? 0 : times_expected * call.expected_s);
  Call limited = call;
  limited.at_most_s = limit_s * share_of_one_launch;
  auto reply = ask(Message().put(Ask::run_checked, limited), limit_s);
  auto checked = reply.get<Checked>();
  checked.damage = cleaned(std::move(checked.damage));
  checked.seconds = std::clamp(checked.seconds, 0.0, answered_s_);
  checked.launch = plausible(checked.launch);
  // Outputs that it does not send stay poisoned.
  received_->poison();
  get_outputs(reply, received_->view());
  reply.expect_end();
  checked.outputs = received_->view();
  return checked;
}

Counted RemoteExecutor::count(const Call& call, const GpuShape&) {
  const Awake awake(running_);
  auto reply = ask(Message().put(Ask::count, call),
                   limits_.seconds + times_expected * call.expected_s);
  auto counted = reply.get<Counted>();
  reply.expect_end();
  return plausible(std::move(counted));
}

Batch RemoteExecutor::execute(const Call& call, Cache cache,
                              const Disturbance& disturbance) {
  Watched outside;
  auto reply = ask(Message().put(Ask::sample, call, cache, disturbance),
                   limits_.seconds, &outside);
  const double elapsed = answered_s_;
  elapsed_s_ += elapsed;
  auto batch = reply.get<Batch>();
  promised_ = reply.get<std::uint64_t>();
  reply.expect_end();
  batch.damage = cleaned(std::move(batch.damage));
  const double reported = batch.seconds.empty() ? 0 : batch.seconds.front();
  if (batch.seconds.size() != 1 || !(reported > 0 && reported <= elapsed)) {
    throw PointError(Verdict::implausible, {.cause = Cause::impossible_times});
  }
  // A submission gains nothing by claiming that it waited: it is not timed
  // then.
  if (batch.waited_s) {
    const double waited_s = std::clamp(*batch.waited_s, 0.0, elapsed);
    outside = {reported, waited_s, batch.threads};
  }
  watched_.add(outside);
  return batch;
}

// The process learns the changes for an execution only after reporting the
// previous one. It learns which was the last only when its outputs are
// requested, and never whether anybody looks at them.
Batch RemoteExecutor::sample(const Call& call, const BatchPlan& plan) {
  // the grader's threads: the submission cannot run while they spin
  end_idle_threads();
  const Awake awake(running_);
  elapsed_s_ = 0;
  Batch all;
  for (const auto& disturbance : plan.executions) {
    auto one = execute(call, plan.cache, disturbance);
    all.seconds.push_back(one.seconds.front());
    all.clock_hz = one.clock_hz;
    all.highest_clock_hz = one.highest_clock_hz;
    all.damage = one.damage;
    if (all.damage) break;
  }
  auto reply = ask(Message().put(Ask::outputs), seconds_to_start);
  received_->poison();
  get_outputs(reply, received_->view());
  reply.expect_end();
  // outputs computed when they were requested, not when they were timed
  if (!all.damage && fingerprint_of(received_->view()) != promised_)
    all.damage = {.cause = Cause::wrote_after_return};
  return all;
}

std::optional<TransferTimes> RemoteExecutor::transfers(const Call& call) {
  const Awake awake(running_);
  return ask(Message().put(Ask::transfers, call), seconds_to_start)
      .get<std::optional<TransferTimes>>();
}

bool RemoteExecutor::recover() {
  if (running_) {
    const Awake awake(running_);
    try {
      return ask(Message().put(Ask::recover), seconds_to_start).get<bool>();
    } catch (const PointError&) {
      if (running_) throw;  // else it ended after it had told why
    }
  }
  start();
  return true;
}

}  // namespace parlab::grade
