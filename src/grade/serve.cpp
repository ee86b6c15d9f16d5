#include "grade/serve.hpp"

#include <memory>
#include <stdexcept>

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
      refuse({.cause = Cause::not_one_variant,
              .arguments = {static_cast<std::int64_t>(variants.size())}});
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
        const auto batch = executor_->sample(what, ask.get<BatchPlan>());
        // Beside the grader, which is at work until it asks again, they
        // would spin and wait in turn.
        end_idle_threads();
        message.put(batch);
        put_outputs(message, batch.outputs);
        break;
      }
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
};

}  // namespace

void serve(const std::string& workload, const std::string& variant) {
  Channel channel(descriptor);
  std::unique_ptr<Runner> runner;
  while (true) {
    Message reply;
    try {
      Message ask = channel.receive(most_bytes);
      if (!runner) runner = std::make_unique<Runner>(workload, variant);
      reply = runner->answer(ask);
    } catch (const PointError& failed) {
      reply.put(Answer::point_error, failed.verdict, failed.detail);
    } catch (const std::exception& failed) {
      reply.put(Answer::other_error,
                std::string_view(failed.what()).substr(0, 3000));
    }
    try {
      channel.send(reply);
    } catch (const std::exception&) {
      return;  // nobody asks any more
    }
  }
}

}  // namespace parlab::grade
