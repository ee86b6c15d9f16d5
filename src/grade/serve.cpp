#include "grade/serve.hpp"

#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <system_error>

#include "core/variant.hpp"
#include "facts/cause.hpp"
#include "grade/protocol.hpp"
#include "machine/pinning.hpp"
#include "places/executor.hpp"
#include "verify/host_arrays.hpp"

namespace parlab::grade {
namespace {

constexpr int descriptor = 3;
constexpr std::size_t most_bytes = std::size_t{1} << 40;

[[noreturn]] void refuse(Detail why) {
  throw PointError(Verdict::launch_failed, std::move(why));
}

class Runner {
 public:
  Runner(const std::string& workload, const std::string& name) {
    auto variants = Registry::instance().variants(workload);
    std::erase_if(variants, [&](const Variant* variant) {
      return !name.empty() && variant->full_name() != name;
    });
    if (variants.size() != 1) {
      refuse(because(Cause::not_one_variant, variants.size()));
    }
    variant_ = variants.front();
  }

  Message answer(Message& ask) {
    Message message;
    message.put(Answer::done);
    switch (ask.get<Ask>()) {
      case Ask::describe:
        open();
        message.put(*variant_, executor_->can_time());
        break;
      case Ask::load:
        load(ask);
        break;
      case Ask::run_checked: {
        const auto checked = executor_->run_checked(call(ask));
        message.put(checked);
        put_outputs(message, checked.outputs);
        break;
      }
      case Ask::sample: {
        const Call what = call(ask);
        const auto cache = ask.get<Cache>();
        auto batch =
            executor_->sample(what, {.cache = cache,
                                     .executions = {ask.get<Disturbance>()},
                                     .watched = true});
        const auto left = executor_->left_by_sample();
        if (!batch.damage) batch.damage = left.damage;
        // Idle threads would spin, then wait, beside the grader, which works
        // until its next question.
        end_idle_threads();
        outputs_ = left.outputs;
        message.put(batch, fingerprint_of(outputs_));
        break;
      }
      case Ask::count:
        message.put(executor_->count(call(ask)));
        break;
      case Ask::outputs:
        put_outputs(message, outputs_);
        break;
      case Ask::transfers:
        message.put(executor_->transfers(call(ask)));
        break;
      case Ask::recover:
        message.put(executor_->recover());
        break;
      case Ask::release:
        executor_->release();
        break;
    }
    return message;
  }

 private:
  void open() {
    if (executor_) return;
    if (variant_->needs_team()) refuse({.cause = Cause::for_several_gpus});
    if (variant_->from_host()) refuse({.cause = Cause::from_host_memory});
    executor_ = make_executor(variant_->target);
  }

  void load(Message& ask) {
    const auto inputs = ask.get<std::vector<ArraySpec>>(),
               outputs = ask.get<std::vector<ArraySpec>>();
    executor_->release();
    inputs_ = std::make_unique<HostArrays>(inputs);
    for (const auto& array : inputs_->view())
      ask.get_bytes(array.data, array.spec.bytes());
    executor_->load(inputs_->view(), outputs);
  }

  Call call(Message& ask) const {
    auto call = ask.get<Call>();
    call.variant = variant_;
    return call;
  }

  const Variant* variant_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<HostArrays> inputs_;
  Arrays outputs_;  // of the last timed execution
};

std::atomic<std::int64_t> refused[16];  // system calls, by number; 0: none

// A forbidden system call fails with EPERM.
void refuse(int, siginfo_t* about, void* context) {
  for (auto& each : refused) {
    std::int64_t none = 0;
    if (each == about->si_syscall ||
        each.compare_exchange_strong(none, about->si_syscall)) {
      break;
    }
  }
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

void remember_refused_calls() {
  struct sigaction action {};
  action.sa_sigaction = refuse;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSYS, &action, nullptr);
}

std::vector<std::int64_t> refused_calls() {
  std::vector<std::int64_t> calls;
  for (const auto& each : refused) {
    if (each != 0) calls.push_back(each);
  }
  return calls;
}

// Tells the grader of the exception that is being handled.
Message failure() {
  Message reply;
  const auto say = [&](Verdict verdict, Detail why) {
    reply.put(Answer::failed, verdict, std::move(why), refused_calls());
  };
  const auto text = [](const std::exception& failed) {
    return std::string(failed.what()).substr(0, 3000);
  };
  try {
    throw;
  } catch (const PointError& failed) {
    say(failed.verdict, failed.detail);
  } catch (const std::system_error& failed) {
    const bool is_short =
        failed.code() == std::errc::resource_unavailable_try_again;
    say(Verdict::launch_failed,
        is_short ? because(Cause::system_refused, text(failed))
                 : other(text(failed)));
  } catch (const std::exception& failed) {
    say(Verdict::launch_failed, other(text(failed)));
  } catch (...) {
    say(Verdict::launch_failed, {.cause = Cause::uncaught});
  }
  return reply;
}

Channel& to_grader() {
  static Channel channel(descriptor);
  return channel;
}

// Tells the grader of an exception that leaves a thread of the submission's
// own, or a function that none may leave.
[[noreturn]] void end_by_exception() {
  static std::atomic_flag told;
  while (told.test_and_set())
    pause();  // another thread tells of its own
  if (std::current_exception()) {
    try {
      to_grader().send(failure());
      to_grader().receive(most_bytes);  // it has read the answer
    } catch (const std::exception&) {   // the grader has closed the channel
    }
  }
  std::abort();
}

}  // namespace

void tell_of_exceptions() {
  std::set_terminate(end_by_exception);
}

void serve(const std::string& workload, const std::string& variant) {
  remember_refused_calls();
  tell_of_exceptions();
  Channel& channel = to_grader();
  std::unique_ptr<Runner> runner;
  while (true) {
    Message reply;
    try {
      Message ask = channel.receive(most_bytes);
      if (!runner) runner = std::make_unique<Runner>(workload, variant);
      reply = runner->answer(ask);
    } catch (...) {
      reply = failure();
    }
    try {
      channel.send(reply);
    } catch (const std::exception&) {
      return;  // the grader has closed the channel
    }
  }
}

}  // namespace parlab::grade
