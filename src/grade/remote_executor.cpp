#include "grade/remote_executor.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <numeric>
#include <system_error>

#include "core/name.hpp"
#include "core/numbers.hpp"
#include "facts/cause.hpp"
#include "grade/protocol.hpp"
#include "machine/pinning.hpp"
#include "machine/run_queue.hpp"

namespace parlab::grade {
namespace {

using Clock = std::chrono::steady_clock;

// Starting CUDA, loading arrays: what has no execution in it.
constexpr double seconds_to_start = 60;
// limits that may pass where others have the CPUs
constexpr double patience = 10;
constexpr std::size_t most_words = 1 << 20;  // of an answer, besides arrays

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::size_t bytes_of(const std::vector<ArraySpec>& arrays) {
  std::size_t bytes = 0;
  for (const auto& array : arrays)
    bytes += array.bytes();
  return bytes;
}

}  // namespace

struct RemoteExecutor::Running {
  Running(const std::vector<std::string>& command,
          const Limits& limits,
          bool on_gpu,
          bool trusted,
          int ours,
          int theirs)
      : channel(ours),
        process(command,
                {.readable =
                     [&] {
                       auto folders = system_folders();
                       folders.push_back(trusted ? "/" : command.front());
                       return folders;
                     }(),
                 .writable = {},
                 .folder = "/",
                 .cpu_s = 3600,
                 .memory_bytes = limits.memory_bytes,
                 // Of memory that has a descriptor, as drivers use
                 // it: no file can be made.
                 .file_bytes = std::uint64_t{1} << 30,
                 .uses_gpu = on_gpu,
                 .trusted = trusted},
                theirs) {
    close(theirs);
  }

  Channel channel;
  Process process;
};

RemoteExecutor::RemoteExecutor(std::vector<std::string> command,
                               const Limits& limits,
                               bool on_gpu,
                               bool trusted)
    : command_(std::move(command)),
      limits_(limits),
      on_gpu_(on_gpu),
      trusted_(trusted) {}

RemoteExecutor::~RemoteExecutor() = default;

void RemoteExecutor::start() {
  if (running_) return;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(),
                            "a channel to a submission");
  }
  running_ = std::make_unique<Running>(command_, limits_, on_gpu_, trusted_,
                                       ends[0], ends[1]);
  auto described = ask(Message().put(Ask::describe), seconds_to_start);
  variant_ = get_variant(described);
  can_time_ = described.get<bool>();
  described.expect_end();
}

const Variant& RemoteExecutor::variant() {
  start();
  return variant_;
}

Message RemoteExecutor::ask(const Message& message,
                            double seconds,
                            Watched* watched) {
  if (!running_)
    throw PointError(Verdict::launch_failed, "its process has ended");
  const auto start = Clock::now();
  const RunQueueWait theirs(running_->process.id());
  RunQueueWait ours(getpid());
  bool too_long = false;
  const auto look_after = [&] {
    if (!running_->process.why_ended().empty())
      throw std::runtime_error("ended");
    // who waits before there is an answer delays nobody
    ours = RunQueueWait(getpid());
    const double elapsed = seconds_since(start);
    if (elapsed <= seconds) return;
    too_long = elapsed - theirs.seconds().value_or(0) > seconds ||
               elapsed > patience * seconds;
    if (too_long) running_->process.end("too long");
  };
  try {
    running_->channel.send(message, look_after);
    Message reply = running_->channel.receive(
        most_words + 2 * bytes_of(outputs_), look_after);
    if (watched != nullptr) {
      watched->add({seconds_since(start), theirs.seconds()});
      watched->add({0, ours.seconds()});
    }
    switch (reply.get<Answer>()) {
      case Answer::done:
        return reply;
      case Answer::point_error: {
        const auto what = printable(reply.text());
        PointError error(reply.get<Verdict>(), what);
        if (error.verdict == Verdict::passed)
          error.verdict = Verdict::launch_failed;
        throw error;
      }
      default:
        throw PointError(Verdict::launch_failed, printable(reply.text()));
    }
  } catch (const Malformed&) {
    running_.reset();
    throw;
  } catch (const PointError&) {
    throw;
  } catch (const std::runtime_error&) {
    auto why = running_->process.why_ended();
    // The channel may be closed before its process is seen to have ended.
    if (why.empty()) why = running_->process.wait(1);
    if (why.empty()) why = "closed its channel";
    running_.reset();
    if (too_long) {
      throw PointError(Verdict::timed_out,
                       "took more than " + significant(seconds, 2) + " s");
    }
    throw PointError(Verdict::launch_failed, why);
  }
}

void RemoteExecutor::load(const Arrays& inputs,
                          const std::vector<ArraySpec>& outputs) {
  inputs_ = inputs;
  outputs_ = outputs;
  received_ = std::make_unique<HostArrays>(outputs);
  start();
  Message message;
  message.put(Ask::load);
  message.put_all(std::vector<Array>(inputs.begin(), inputs.end()),
                  [](Message& to, const Array& array) { put(to, array.spec); });
  message.put_all(outputs,
                  [](Message& to, const ArraySpec& spec) { put(to, spec); });
  for (const auto& array : inputs)
    message.put_bytes(array.data, array.spec.bytes());
  ask(message, seconds_to_start);
}

void RemoteExecutor::release() {
  if (running_) ask(Message().put(Ask::release), seconds_to_start);
  inputs_ = {};
  outputs_.clear();
  received_.reset();
}

Checked RemoteExecutor::run_checked(const Call& call) {
  Message message;
  message.put(Ask::run_checked);
  put(message, call.size, call.dtype, call.tunables);
  const auto start = Clock::now();
  auto reply = ask(message, limits_.seconds);
  const double elapsed = seconds_since(start);
  Checked checked;
  if (auto damage = printable(reply.text()); !damage.empty())
    checked.damage = other(std::move(damage));
  checked.inputs_lost = reply.get<bool>();
  checked.seconds = std::clamp(reply.get<double>(), 0.0, elapsed);
  checked.launch = get_launch(reply);
  // What it does not send is not there.
  received_->poison();
  get_outputs(reply, received_->view());
  reply.expect_end();
  checked.outputs = received_->view();
  return checked;
}

Batch RemoteExecutor::sample(const Call& call, const BatchPlan& plan) {
  Message message;
  message.put(Ask::sample);
  put(message, call.size, call.dtype, call.tunables);
  BatchPlan watched_plan = plan;
  watched_plan.watch_waits = true;
  put(message, watched_plan);
  // of the grader: where they spin, the submission cannot run
  end_idle_threads();
  const double most_s =
      limits_.seconds * static_cast<double>(plan.executions.size());
  const auto start = Clock::now();
  Watched outside;
  auto reply = ask(message, most_s, &outside);
  const double elapsed = elapsed_s_ = seconds_since(start);
  Batch batch;
  reply.get_all(plan.executions.size(), [&](Message& from) {
    batch.seconds.push_back(from.get<double>());
  });
  batch.clock_hz = reply.get<double>();
  batch.highest_clock_hz = reply.get<double>();
  if (auto damage = printable(reply.text()); !damage.empty())
    batch.damage = other(std::move(damage));
  const bool says_who_waited = reply.get<bool>();
  const double waited_s = std::clamp(reply.get<double>(), 0.0, elapsed);
  const int threads = reply.get<int>();
  received_->poison();
  get_outputs(reply, received_->view());
  reply.expect_end();
  batch.outputs = received_->view();
  const double reported =
      std::accumulate(batch.seconds.begin(), batch.seconds.end(), 0.0);
  const bool numbers =
      std::all_of(batch.seconds.begin(), batch.seconds.end(),
                  [](double each) { return std::isfinite(each) && each > 0; });
  if (batch.seconds.empty() || !numbers || reported > elapsed) {
    throw PointError(Verdict::implausible,
                     "its process reports times that cannot be");
  }
  // To say that it waited gains a submission nothing: it is not timed.
  watched_.add(says_who_waited ? Watched{reported, waited_s, threads}
                               : outside);
  return batch;
}

std::optional<TransferTimes> RemoteExecutor::transfers(const Call& call) {
  Message message;
  message.put(Ask::transfers);
  put(message, call.size, call.dtype, call.tunables);
  auto reply = ask(message, seconds_to_start);
  TransferTimes times;
  times.to_device_s = reply.get<double>();
  times.to_host_s = reply.get<double>();
  if (times.to_device_s <= 0 && times.to_host_s <= 0) return std::nullopt;
  return times;
}

bool RemoteExecutor::recover() {
  if (running_) {
    auto reply = ask(Message().put(Ask::recover), seconds_to_start);
    return reply.get<bool>();
  }
  start();
  return true;
}

}  // namespace parlab::grade
